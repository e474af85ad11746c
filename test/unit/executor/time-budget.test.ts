import { describe, expect, it } from 'vitest';
import { resolveSettings } from '../../../shared/config/settings.ts';
import { enoughTime, timeBudget } from '../../../functions/executor/invocation.ts';

const SECOND = 1_000;
const settings = resolveSettings({ recordReserveMs: 5 * SECOND, abortGraceMs: 2 * SECOND });

describe('the time of an invocation', () => {
  it('is the jobs’ until what is kept for aborted handlers, and for the recording', () => {
    expect(timeBudget({ requestId: 'r', deadlineAt: 100 * SECOND }, settings, 40 * SECOND)).toEqual({
      deadlineAt: 100 * SECOND,
      abortAt: 93 * SECOND,
      fullMs: 53 * SECOND,
    });
    expect(timeBudget({ requestId: 'r', deadlineAt: 100 * SECOND }, settings, 99 * SECOND).fullMs).toBe(0);
  });

  it.each([
    { what: 'the least time for a job that names none', timeoutMs: undefined, fullMs: 60 * SECOND, leastMs: 10 * SECOND },
    { what: 'its own limit for a job that is shorter', timeoutMs: 3 * SECOND, fullMs: 60 * SECOND, leastMs: 3 * SECOND },
    { what: 'its own limit for a job that is longer', timeoutMs: 30 * SECOND, fullMs: 60 * SECOND, leastMs: 30 * SECOND },
    { what: 'nine tenths of it for a job that wants more', timeoutMs: 600 * SECOND, fullMs: 60 * SECOND, leastMs: 54 * SECOND },
    { what: 'all but two seconds where it is short', timeoutMs: 600 * SECOND, fullMs: 15 * SECOND, leastMs: 13 * SECOND },
  ])('is enough while there is $what', ({ timeoutMs, fullMs, leastMs }) => {
    const abortAt = 1_000 * SECOND;
    const enough = (leftMs: number): boolean =>
      enoughTime({ deadlineAt: abortAt, abortAt, fullMs }, 10 * SECOND, timeoutMs, abortAt - leftMs);
    expect([enough(leastMs), enough(leastMs - 1)]).toEqual([true, false]);
  });
});
