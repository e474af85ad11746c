import { InvalidInputError } from '../../../job/errors.ts';
import { type CronField, DAY_OF_WEEK, parseField } from './cron-field.ts';
import { refuseEventBridge } from './foreign-cron.ts';

/** When a cron expression matches, as sorted numbers. Days match if the day of month or the day of week does, once both are restricted. */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: readonly number[];
  readonly daysOfMonth: CronField;
  readonly daysOfWeek: CronField;
  /** The hour is open (`*`, `?`, a step over the whole day, or all 24 hours by any form): every hour that the clocks show counts. */
  readonly everyHour: boolean;
}

const NICKNAMES: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAY_MS = 86_400_000;
/** Every day that exists comes within this time: the fifth Friday of a February, a 29th, may be forty years off. */
export const SEARCH_MS: number = 41 * 366 * DAY_MS;
const FORMS = 'Use 5 fields (minute hour day-of-month month day-of-week), or 6 with seconds first, such as 30 2 * * MON-FRI.';
/** A step that begins at midnight and ends with the day, however it is written. */
const WHOLE_DAY_STEP = /^(?:[*?]|00?(?:-23)?)\/\d+$/;

/** Reads a cron expression; refuses one that never matches, such as 31 February. */
export function parseCron(text: unknown, field = 'cron'): Cron {
  if (typeof text !== 'string' || text.length > 256) throw new InvalidInputError(field, text, FORMS);
  const given = text.trim().toUpperCase();
  const parts = (NICKNAMES.get(given.toLowerCase()) ?? given).split(/\s+/);
  refuseEventBridge(text, field);
  if (parts.length !== 5 && parts.length !== 6) throw new InvalidInputError(field, text, FORMS);
  const [second, minute, hour, dayOfMonth, month, dayOfWeek] = (parts.length === 5 ? ['0', ...parts] : parts) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const plain = (part: string, name: string, range: readonly [number, number], names: readonly string[] = []): readonly number[] =>
    parseField(part, { field, name, range, names }).values;
  const hours = plain(hour, 'hour', [0, 23]);
  const cron: Cron = {
    seconds: plain(second, 'second', [0, 59]),
    minutes: plain(minute, 'minute', [0, 59]),
    hours,
    daysOfMonth: parseField(dayOfMonth, { field, name: 'day of month', range: [1, 31], names: [], last: true }),
    months: plain(month, 'month', [1, 12], MONTHS),
    daysOfWeek: parseField(dayOfWeek, { field, name: 'day of week', range: [0, 7], names: DAY_OF_WEEK, nth: true }),
    everyHour: hours.length === 24 || WHOLE_DAY_STEP.test(hour),
  };
  if (nextWall(cron, Date.UTC(2000, 0)) === undefined) {
    throw new InvalidInputError(field, text, 'This day never occurs. Use a day that its months have.');
  }
  return cron;
}

/**
 * The first time after `after` at which a clock that never changes matches. Times of such a clock are written as the epoch
 * milliseconds that they would be in UTC. Undefined when nothing matches for years.
 */
export function nextWall(cron: Cron, after: number): number | undefined {
  let time = Math.floor(after / 1000) * 1000 + 1000;
  const end = time + SEARCH_MS;
  while (time < end) {
    const date = new Date(time);
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    if (!cron.months.includes(month + 1)) {
      time = Date.UTC(year, month + 1);
      continue;
    }
    const matched = dayMatches(cron, year, month, day) ? timeOfDay(cron, time - Date.UTC(year, month, day)) : undefined;
    if (matched !== undefined) return Date.UTC(year, month, day) + matched;
    time = Date.UTC(year, month, day + 1);
  }
  return undefined;
}

/** The first matching time of a day at or after `from`, in milliseconds since midnight. */
function timeOfDay({ hours, minutes, seconds }: Cron, from: number): number | undefined {
  const [hour, minute, second] = [Math.floor(from / 3_600_000), Math.floor(from / 60_000) % 60, Math.floor(from / 1000) % 60];
  for (const h of hours) {
    if (h < hour) continue;
    for (const m of minutes) {
      if (h === hour && m < minute) continue;
      const s = seconds.find((one) => h > hour || m > minute || one >= second);
      if (s !== undefined) return ((h * 60 + m) * 60 + s) * 1000;
    }
  }
  return undefined;
}

function dayMatches({ daysOfMonth, daysOfWeek }: Cron, year: number, month: number, day: number): boolean {
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const weekday = new Date(Date.UTC(year, month, day)).getUTCDay();
  const byMonth = daysOfMonth.values.includes(day) || (daysOfMonth.last && day === lastDay);
  const nth = Math.ceil(day / 7);
  const byWeek =
    daysOfWeek.values.includes(weekday) ||
    daysOfWeek.nth.some((one) => one.day === weekday && (one.nth === 'last' ? day + 7 > lastDay : one.nth === nth));
  return daysOfMonth.any || daysOfWeek.any ? byMonth && byWeek : byMonth || byWeek;
}
