import { InvalidInputError } from '../../shared/job/errors.ts';
import { checkOptions } from '../../shared/job/names.ts';
import type { NumberRange } from './job-filter.ts';

/** A range with both ends included; an absent end is open. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

const FIX = 'Use a whole number, or { min, max } with one of them or both.';
const TEXT = /^(-?\d+)?(?:(\.\.)(-?\d+)?)?$/;

/** Checks a range. Throws InvalidInputError. */
export function checkRange(range: unknown, field: string): Bounds {
  if (typeof range === 'number') return { min: whole(range, field), max: whole(range, field) };
  if (typeof range !== 'object' || range === null || Array.isArray(range)) throw new InvalidInputError(field, range, FIX);
  checkOptions(range, ['min', 'max'], field);
  const { min, max } = range as Readonly<Record<string, unknown>>;
  if (min === undefined && max === undefined) throw new InvalidInputError(field, range, FIX);
  const bounds = {
    ...(min === undefined ? {} : { min: whole(min, `${field}.min`) }),
    ...(max === undefined ? {} : { max: whole(max, `${field}.max`) }),
  };
  if (bounds.min !== undefined && bounds.max !== undefined && bounds.min > bounds.max) {
    throw new InvalidInputError(`${field}.max`, max, 'Use a number that is not below `min`.');
  }
  return bounds;
}

function whole(value: unknown, field: string): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new InvalidInputError(field, value, 'Use a whole number.');
}

/** Whether a number lies within; a row without the attribute counts as 0, as a list shows it. */
export function isWithin({ min, max }: Bounds, stored: unknown): boolean {
  const value = typeof stored === 'number' ? stored : 0;
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** Reads a range that was typed: `5`, `5..`, `..5`, `1..5`. Throws InvalidInputError. */
export function parseRange(text: string, field: string): NumberRange {
  const [matched, low, dots, high] = TEXT.exec(text.trim()) ?? [];
  if (matched === undefined || (low === undefined && high === undefined)) {
    throw new InvalidInputError(field, text, 'Use a whole number, or a range such as 5.., ..5 or 1..5.');
  }
  const bounds = {
    ...(low === undefined ? {} : { min: Number(low) }),
    ...(high === undefined ? {} : { max: Number(high) }),
  };
  return dots === undefined ? Number(low) : bounds;
}

/** A range as it is typed. */
export function rangeText(range: NumberRange): string {
  return typeof range === 'number' ? String(range) : `${range.min ?? ''}..${range.max ?? ''}`;
}
