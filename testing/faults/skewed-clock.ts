import { InvalidInputError } from '../../shared/job/errors.ts';
import type { Clock } from '../../shared/ports/clock.ts';

/** The same clock on a machine that is `ms` ahead, or behind when negative. */
export function skewedClock(clock: Clock, ms: number): Clock {
  if (!Number.isFinite(ms)) throw new InvalidInputError('ms', ms, 'Use milliseconds, negative for a machine that is behind.');
  return { now: () => clock.now() + ms, wait: (duration, signal) => clock.wait(duration, signal) };
}

// What AWS allows between the date in a signature and its own clock.
const SIGNATURE_LIFE_MS = 5 * 60_000;

/** Whether AWS, at `now`, refuses a signature of this date (`20260101T000000Z`). */
export function signatureIsOff(date: string | undefined, now: number): boolean {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date ?? '')?.slice(1);
  if (parts === undefined) return false;
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return Math.abs(Date.UTC(year, month - 1, ...rest) - now) > SIGNATURE_LIFE_MS;
}
