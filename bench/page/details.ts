import { short } from '../frame/measurement-table.ts';
import type { ScaleFigures } from '../scale/measure-scale.ts';
import { cell, markdownTable } from './figure-table.ts';
import { scaleTable } from './scale-section.ts';

/** Benches whose figures are measurements already, or that have a table of their own. */
const OWN: Readonly<Record<string, (details: object) => readonly string[]>> = {
  cost: () => [],
  tuning: () => [],
  scale: (details) => [scaleTable(details as ScaleFigures)],
};

/** What a bench tells beyond its measurements: a table for each group of named numbers. */
export function detailsOf(bench: string, details: object | undefined): readonly string[] {
  if (details === undefined) return [];
  return OWN[bench]?.(details) ?? Object.entries(details).flatMap(([name, value]) => groupTable(name, value));
}

function groupTable(name: string, value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const numbers = Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  if (numbers.length === 0) return Object.entries(value).flatMap(([inner, one]) => groupTable(`${name}, ${inner}`, one));
  const shares = numbers.every(([, one]) => one >= 0 && one <= 1) && Math.abs(numbers.reduce((sum, [, one]) => sum + one, 0) - 1) < 0.05;
  const text = (one: number): string => (shares ? `${short(one * 100)} %` : short(one));
  return [
    markdownTable(
      [{ text: cell(words(name)) }, { text: '', right: true }],
      numbers.toSorted(([, a], [, b]) => b - a).map(([key, one]) => [cell(key), text(one)]),
    ),
  ];
}

/** camelCase as words. */
const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
