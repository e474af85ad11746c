import { short } from '../frame/measurement-table.ts';
import type { ScaleFigures } from '../scale/measure-scale.ts';
import { cell, markdownTable } from './figure-table.ts';
import { scaleOwnFigures, scaleTable } from './scale-section.ts';

/** Benches whose figures are measurements already, or that have a table of their own. */
const OWN: Readonly<Record<string, (details: object) => readonly string[]>> = {
  cost: () => [],
  tuning: () => [],
  scale: (details) => [scaleTable(details as ScaleFigures), scaleOwnFigures(details as ScaleFigures)],
};

/** The details of a bench: a table for each group of named numbers. */
export function detailsOf(bench: string, details: object | undefined): readonly string[] {
  if (details === undefined) return [];
  return OWN[bench]?.(details) ?? Object.entries(details).flatMap(([name, value]) => groupTable(name, value));
}

type Numbers = Readonly<Record<string, number>>;

/** A table of named numbers; of several groups of them, one table with a column each. What is deeper follows in tables of its own. */
function groupTable(name: string, value: unknown): readonly string[] {
  if (!isRecord(value)) return [];
  const own = numbersOf(value);
  const inner = Object.entries(value).filter((entry): entry is [string, Record<string, unknown>] => isRecord(entry[1]));
  if (Object.keys(own).length > 0) return [matrix(name, { '': own }), ...inner.flatMap(([key, one]) => groupTable(`${name}, ${key}`, one))];
  const columns = Object.fromEntries(inner.map(([key, one]) => [key, numbersOf(one)]));
  const hasNumbers = Object.values(columns).some((column) => Object.keys(column).length > 0);
  const deeper = new Set(inner.flatMap(([, one]) => Object.keys(one).filter((key) => isRecord(one[key]))));
  return [
    ...(hasNumbers ? [matrix(name, columns)] : []),
    ...[...deeper].flatMap((key) => groupTable(`${name}, ${key}`, Object.fromEntries(inner.map(([outer, one]) => [outer, one[key]])))),
  ];
}

function matrix(name: string, columns: Readonly<Record<string, Numbers>>): string {
  const all = Object.values(columns);
  const shares = all.every(
    (column) => Object.values(column).every((one) => one >= 0 && one <= 1) && Math.abs(sum(Object.values(column)) - 1) < 0.05,
  );
  const text = (one: number | undefined): string => (one === undefined ? '' : shares ? `${short(one * 100)} %` : short(one));
  const rows = [...new Set(all.flatMap((column) => Object.keys(column)))];
  const most = (row: string): number => Math.max(...all.map((column) => column[row] ?? 0));
  // Parts of a whole: the largest first. Anything else is in an order of its own, such as percentiles.
  const isWhole = shares || name.endsWith('groups');
  return markdownTable(
    [{ text: cell(words(name)) }, ...Object.keys(columns).map((column) => ({ text: cell(words(column)), right: true }))],
    (isWhole ? rows.toSorted((a, b) => most(b) - most(a)) : rows).map((row) => [
      cell(words(row)),
      ...all.map((column) => text(column[row])),
    ]),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function numbersOf(value: Readonly<Record<string, unknown>>): Numbers {
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** camelCase as words. */
const words = (name: string): string =>
  name.replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`);
