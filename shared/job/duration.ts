import { InvalidInputError } from './errors.ts';
import { LIMITS } from './size-limits.ts';

/** A length of time as users write it: ISO-8601 (`PT15M`, `P1DT12H`) or milliseconds. */
export type Duration = string | number;

const ISO_DURATION =
  /^P(?:(\d{1,6}(?:\.\d{1,9})?)W)?(?:(\d{1,6}(?:\.\d{1,9})?)D)?(?:T(?=\d)(?:(\d{1,9}(?:\.\d{1,9})?)H)?(?:(\d{1,9}(?:\.\d{1,9})?)M)?(?:(\d{1,12}(?:\.\d{1,9})?)S)?)?$/;

/** The longest duration, 100 years: later instants do not sort as text. */
export const MAX_DURATION_MS = LIMITS.yearsAhead * 365.25 * 86_400_000;

/**
 * Whole milliseconds of an ISO-8601 duration or a number of milliseconds; `field` names it in the error.
 * Years and months are refused: their length depends on the calendar. A day is 24 hours.
 */
export function durationMs(duration: Duration, field: string): number {
  const ms = typeof duration === 'number' ? checkedMs(duration, field) : parsedMs(duration, field);
  if (ms <= MAX_DURATION_MS) return Math.round(ms);
  throw new InvalidInputError(field, duration, `Use at most ${LIMITS.yearsAhead} years.`);
}

function checkedMs(duration: number, field: string): number {
  if (Number.isFinite(duration) && duration >= 0) return duration;
  throw new InvalidInputError(field, duration, 'Use milliseconds, 0 or more, or an ISO-8601 duration such as PT15M.');
}

function parsedMs(duration: string, field: string): number {
  const match = typeof duration === 'string' && duration.length <= 64 ? ISO_DURATION.exec(duration) : null;
  if (match === null || match.slice(1).every((part) => part === undefined)) {
    throw new InvalidInputError(field, duration, 'Use an ISO-8601 duration of weeks, days and time, such as PT15M or P1DT12H.');
  }
  const [weeks, days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
}

/** The shortest ISO-8601 text of a duration in whole milliseconds, for canonical retry policies and messages. */
export function isoDuration(ms: number): string {
  if (ms === 0) return 'PT0S';
  const days = Math.floor(ms / 86_400_000);
  const hours = Math.floor((ms % 86_400_000) / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const time = `${hours ? `${hours}H` : ''}${minutes ? `${minutes}M` : ''}${seconds ? `${seconds}S` : ''}`;
  return `P${days ? `${days}D` : ''}${time ? `T${time}` : ''}`;
}
