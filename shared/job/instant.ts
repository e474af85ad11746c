import { types } from 'node:util';
import { type Duration, durationMs, MAX_DURATION_MS } from './duration.ts';
import { InvalidInputError } from './errors.ts';
import { LIMITS } from './size-limits.ts';

/** A point in time as users write it: a Date, epoch milliseconds, or ISO-8601 with an offset (`2026-01-01T00:00:00Z`). */
export type Instant = Date | number | string;

const ISO_INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Refuses 30 February, which Date.parse reads as 2 March. */
function parseIso(text: string): number {
  const day = ISO_INSTANT.exec(text)?.[1];
  const midnight = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && iso(midnight).startsWith(`${day}`) ? Date.parse(text) : Number.NaN;
}

/** As seconds these are the years 1973 to 5138; as milliseconds January 1970 to March 1973, which is surely a mistake. */
const SECONDS = { from: 1e8, until: 1e11 } as const;

/** Epoch milliseconds of an instant; `field` names it in the error. */
export function instantMs(instant: Instant, field: string): number {
  const ms = typeof instant === 'string' ? parseIso(instant) : types.isDate(instant) ? instant.getTime() : instant;
  if (typeof ms !== 'number' || !Number.isFinite(ms)) {
    throw new InvalidInputError(
      field,
      instant,
      'Use a valid Date, epoch milliseconds, or ISO-8601 with an offset such as 2026-01-01T00:00:00Z.',
    );
  }
  if (typeof instant !== 'string' && ms >= SECONDS.from && ms < SECONDS.until) {
    throw new InvalidInputError(field, instant, 'It looks like epoch seconds. Use epoch milliseconds, or a Date made of them.');
  }
  return Math.floor(ms);
}

/** When a job is due: `runAt`, or `delay` from now, or now. The past means now; more than 100 years ahead is refused. */
export function dueTime(when: { readonly runAt?: Instant | undefined; readonly delay?: Duration | undefined }, now: number): number {
  if (when.runAt !== undefined && when.delay !== undefined) {
    throw new InvalidInputError('delay', when.delay, 'Give either runAt or delay, not both.');
  }
  const asked =
    when.runAt !== undefined ? instantMs(when.runAt, 'runAt') : when.delay !== undefined ? now + durationMs(when.delay, 'delay') : now;
  if (asked > now + MAX_DURATION_MS) {
    throw new InvalidInputError('runAt', when.runAt, `Use a time at most ${LIMITS.yearsAhead} years ahead.`);
  }
  return Math.max(Math.floor(asked), now);
}

/** How instants are stored in rows: ISO-8601 UTC with milliseconds, which sorts as text. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Years of four digits sort as text. A lease is counted from an instant, so there is room before the year 10000. */
const STORED = { from: Date.parse('0000-01-01T00:00:00.000Z'), end: Date.UTC(9999, 0) } as const;

/**
 * Epoch milliseconds of a stored instant; undefined for anything but the form that `iso` writes: conditions compare
 * instants as text, so another form would sort wrongly.
 */
export function storedInstant(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return ms >= STORED.from && ms < STORED.end && iso(ms) === value ? ms : undefined;
}
