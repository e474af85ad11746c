import { InvalidInputError } from '../../../job/errors.ts';
import { DAY_OF_WEEK } from './cron-field.ts';
import { offsetAt, transitionsBetween } from './zone.ts';

/** Days on which nothing occurs, as texts that sort by time: `2026-12-25` for a date, `12-25` for a day of every year. */
export interface Exclusions {
  /** 0 for Sunday. */
  readonly weekdays: readonly number[];
  /** First and last day. The first is after the last if a stretch goes beyond the end of the year. */
  readonly yearly: readonly DayRange[];
  readonly dates: readonly DayRange[];
}

type DayRange = readonly [first: string, last: string];

/** Each entry has at most 21 characters, so all of them have less than 9 KB in the row that each firing rewrites. */
const MAX_ENTRIES = 366;
const DAY_MS = 86_400_000;
const FORMS = 'Use a date (2026-12-25), a day of every year (12-25), a range of either (2026-12-24/2027-01-02), or a weekday (SAT).';

/** Reads the days of `exclude`; throws InvalidInputError that names the entry and the fix. */
export function parseExclusions(value: unknown, field = 'exclude'): Exclusions {
  if (!Array.isArray(value)) throw new InvalidInputError(field, value, `Give an array. ${FORMS}`);
  if (value.length > MAX_ENTRIES) {
    throw new InvalidInputError(field, `${value.length} entries`, `Use at most ${MAX_ENTRIES}; a range is one entry.`);
  }
  const found = { weekdays: [] as number[], yearly: [] as DayRange[], dates: [] as DayRange[] };
  for (const [index, entry] of value.entries()) {
    const text: unknown = typeof entry === 'string' ? entry.trim().toUpperCase() : undefined;
    const weekday = DAY_OF_WEEK.indexOf(String(text));
    if (weekday >= 0) found.weekdays.push(weekday);
    else {
      const range = rangeOf(text, entry, `${field}.${index}`);
      (range[0].length === 5 ? found.yearly : found.dates).push(range);
    }
  }
  return found;
}

function rangeOf(text: unknown, entry: unknown, field: string): DayRange {
  const [first = '', last = first, more] = typeof text === 'string' ? text.split('/') : [];
  if (more !== undefined || !isDay(first) || !isDay(last) || first.length !== last.length) throw new InvalidInputError(field, entry, FORMS);
  if (first.length > 5 && first > last) throw new InvalidInputError(field, entry, 'It ends before it begins. Swap the two dates.');
  return [first, last];
}

/** Whether it is a day that exists: 02-29 is one, because some years have it. */
function isDay(text: string): boolean {
  if (!/^(?:\d{4}-)?\d\d-\d\d$/.test(text)) return false;
  const date = text.length === 5 ? `2000-${text}` : text;
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** Whether the clocks of the zone show an excluded day at an instant. */
export function isExcluded({ weekdays, yearly, dates }: Exclusions, zone: string, at: number): boolean {
  const wall = new Date(at + offsetAt(zone, at));
  const date = wall.toISOString().slice(0, 10);
  const day = date.slice(5);
  return (
    weekdays.includes(wall.getUTCDay()) ||
    dates.some(([first, last]) => first <= date && date <= last) ||
    yearly.some(([first, last]) => (first <= last ? first <= day && day <= last : first <= day || day <= last))
  );
}

/** The last instant of the day that the clocks of the zone show, or the one before they are changed if that comes first. */
export function lastOfDay(zone: string, at: number): number {
  const offset = offsetAt(zone, at);
  const midnight = (Math.floor((at + offset) / DAY_MS) + 1) * DAY_MS - offset;
  return (transitionsBetween(zone, at, midnight)[0]?.at ?? midnight) - 1;
}
