import { durationMs } from '../../shared/job/duration.ts';
import { shown } from '../../shared/job/errors.ts';
import { instantMs } from '../../shared/job/instant.ts';
import { UsageError } from '../exit.ts';

const LENGTH = /^([+-]?)(?:(\d{1,9})(s|m|h|d|w)|(P.+))$/;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Epoch milliseconds of an instant as people type it: `now`, ISO-8601 with an offset, a day (its beginning in UTC), or a length of
 * time from now: `2h` or `PT2H` as `bare` says, `-2h` back and `+2h` ahead. Throws UsageError naming the flag.
 */
export function instantOf(
  flag: string,
  text: string | undefined,
  terms: { readonly now: number; readonly bare: 'ago' | 'ahead' },
): number | undefined {
  if (text === undefined) return undefined;
  if (text === 'now') return terms.now;
  try {
    const [whole, sign, count, unit, isoLength] = LENGTH.exec(text) ?? [];
    if (whole === undefined) return since1970(instantMs(DAY.test(text) ? `${text}T00:00:00Z` : text, flag));
    const ms = isoLength === undefined ? Number(count) * (UNIT_MS[unit ?? 's'] ?? 0) : durationMs(isoLength, flag);
    const ahead = sign === '+' || (sign === '' && terms.bare === 'ahead');
    return terms.now + (ahead ? ms : -ms);
  } catch {
    throw new UsageError(`${flag} ${shown(text)} is not a valid time. Use one such as 2h, +30m, 2026-01-31 or 2026-01-31T08:00:00+01:00.`);
  }
}

/** A program with an unset date writes the year 1. */
function since1970(ms: number): number {
  if (ms < 0) throw new RangeError('before 1970');
  return ms;
}
