import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { instantMs } from '../../../job/instant.ts';
import { type DstPolicy, instantsOf, type Occurrence } from './wall-time.ts';
import { offsetAt } from './zone.ts';

/** A length of calendar time. Months, weeks and days keep the time of day of the zone; the rest is exact. */
export interface Period {
  readonly months: number;
  readonly days: number;
  readonly ms: number;
}

/** An ISO-8601 repetition: `R[n]/[start/]period[/end]`, or a period alone. */
export interface Repetition {
  /** Occurrences in all, those of the past included. */
  readonly count?: number;
  readonly start?: number;
  readonly end?: number;
  readonly period: Period;
}

/** A repetition with its first instant: number 0 if it named its start, number 1 one period after it if it did not. */
export interface Anchored extends Repetition {
  readonly anchor: number;
  readonly zone: string;
  readonly dst: DstPolicy;
}

const PERIOD =
  /^P(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,7}(?:\.\d{1,9})?)H)?(?:(\d{1,9}(?:\.\d{1,9})?)M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$/;
const MAX_COUNT = 1_000_000_000;
const DAY_MS = 86_400_000;
/** Rows hold years of four digits. */
const LAST_INSTANT = Date.UTC(9999, 0);
const FORMS =
  'Use R/PT1H, R5/2026-01-01T00:00:00Z/P1D, R/P1M, or with an end R/2026-01-01T00:00:00Z/P1D/2026-12-31T00:00:00Z; a period alone means R/.';

/** Reads a repetition. Refuses periods below a second, R0, and more than one start. */
export function parseRepetition(text: unknown, field = 'every'): Repetition {
  if (typeof text !== 'string' || text.length > 256) throw new InvalidInputError(field, text, FORMS);
  const parts = text.trim().split('/');
  const cycle = /^R(\d{1,12})?$/.exec(parts[0] ?? '');
  if (cycle) parts.shift();
  const at = parts.findIndex((part) => part.startsWith('P'));
  const [start, end] = [at === 1 ? parts[0] : undefined, parts[at + 1]];
  if (at < 0 || at > 1 || parts.length > at + 2) throw new InvalidInputError(field, text, FORMS);
  if (!cycle && parts.length > 1) throw new InvalidInputError(field, text, FORMS);
  const count = cycle?.[1] === undefined ? undefined : Number(cycle[1]);
  if (count !== undefined && (count < 1 || count > MAX_COUNT)) {
    throw new InvalidInputError(field, text, `R${count} would never run or never end: use R1 to R${MAX_COUNT}, or R without a number.`);
  }
  const period = parsePeriod(parts[at] ?? '', text, field);
  const repetition = {
    period,
    ...defined({ count }),
    ...(start === undefined ? {} : { start: instantMs(start, field) }),
    ...(end === undefined ? {} : { end: instantMs(end, field) }),
  };
  if (repetition.start !== undefined && repetition.end !== undefined && repetition.end < repetition.start) {
    throw new InvalidInputError(field, text, 'It ends before it begins.');
  }
  return repetition;
}

function parsePeriod(part: string, text: string, field: string): Period {
  const match = PERIOD.exec(part);
  if (match === null || match.slice(1).every((one) => one === undefined)) throw new InvalidInputError(field, text, FORMS);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((one) => Number(one ?? 0));
  const period = { months: years * 12 + months, days: weeks * 7 + days, ms: Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000) };
  if (roughMs(period) < 1000) throw new InvalidInputError(field, text, 'Use a period of a second or more.');
  if (roughMs(period) > 100 * 366 * DAY_MS) throw new InvalidInputError(field, text, 'Use a period of at most 100 years.');
  return period;
}

/** The least that a period lasts: no month is shorter than 28 days, no day than 23 hours. */
function roughMs({ months, days, ms }: Period): number {
  return months * 28 * DAY_MS + days * (DAY_MS - 3_600_000) + ms;
}

/** Whether its times of day are those of a zone's calendar. */
export function isCalendar({ months, days }: Period): boolean {
  return months > 0 || days > 0;
}

/** The first occurrence after an instant. In a gap that is skipped the period's turn is used up. */
export function nextRepetition(repetition: Anchored, after: number): Occurrence | undefined {
  const first = repetition.start === undefined ? 1 : 0;
  // By the calendar, a zone's offset and the policy for clock changes may move an occurrence by up to two days.
  const slack = isCalendar(repetition.period) ? 2 * DAY_MS : 0;
  const guess = Math.floor(Math.max(0, after - repetition.anchor - slack) / mostMs(repetition.period)) - 2;
  for (let index = Math.max(first, guess); ; index++) {
    if (repetition.count !== undefined && index - first >= repetition.count) return undefined;
    const found = occurrenceAt(repetition, index);
    if (found === undefined) continue;
    if (!(found.at < LAST_INSTANT)) return undefined;
    if (repetition.end !== undefined && found.at > repetition.end) return undefined;
    if (found.at > after) return found;
  }
}

/** The maximum length of a period; a guess made with it is never after the occurrence that is searched for. */
function mostMs({ months, days, ms }: Period): number {
  return months * 31 * DAY_MS + days * DAY_MS + ms;
}

function occurrenceAt({ period, anchor, zone, dst }: Anchored, index: number): Occurrence | undefined {
  if (!isCalendar(period)) return { at: anchor + index * period.ms };
  const wall = addCalendar(anchor + offsetAt(zone, anchor), period.months * index, period.days * index);
  // A start is an instant: no policy moves it to the other showing of its time of day.
  const found =
    index === 0 ? instantsOf(zone, wall, { ...dst, overlap: 'both' }).find(({ at }) => at === anchor) : instantsOf(zone, wall, dst)[0];
  return found && { ...found, at: found.at + period.ms * index };
}

/** Counted from the first day each time, so that the 31st comes back after a month that has none. */
function addCalendar(wall: number, months: number, days: number): number {
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + months];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay) + days) + (((wall % DAY_MS) + DAY_MS) % DAY_MS);
}
