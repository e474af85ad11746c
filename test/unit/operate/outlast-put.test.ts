import { describe, expect, it } from 'vitest';
import { msUntilPut, waitForPutWindow, PUT_WINDOW_MS } from '../../../operate/wait-for-put-window.ts';
import { iso } from '../../../shared/job/instant.ts';
import { MAX_CLOCK_SKEW_MS, UNFENCED_WRITE_WINDOW_MS } from '../../../shared/job/lease.ts';
import { work } from '../../support/dead-letters.ts';
import { Rig } from '../../support/rig.ts';

const { deps } = new Rig();
const waitOf = (putWindowMs: number, agesMs: readonly number[]): number => {
  const now = deps.clock.now();
  const rows = agesMs.map((age) => ({ table: 'jobs', row: { rev: 1, createdAt: iso(now - age) } }) as const);
  return msUntilPut({ ...deps, putWindowMs }, rows);
};

describe('the wait of a verb for a put that may be repeated', () => {
  it.each([
    ['nothing where there is no job', [], 0],
    ['nothing for jobs that are older than that', [10_000, 60_000], 0],
    ['as long as the youngest job may be put again', [9_000, 4_000, 60_000], 6_000],
    ['no longer than the whole of it, although a clock was ahead', [-5_000], 10_000],
  ])('is %s', (_what, ages, ms) => {
    expect(waitOf(10_000, ages)).toBe(ms);
  });

  it.each([
    ['was due a moment ago', {}, [9_000]],
    ['is not due yet', { delay: 'P1D' }, [9_000]],
  ] as const)('is for a job that %s', async (_what, options, waits) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, options);
    await rig.clock.advance(1_000);
    const waited: number[] = [];
    const clock = { now: () => rig.clock.now(), wait: async (ms: number) => void waited.push(ms) };
    await waitForPutWindow({ ...rig.deps, clock, putWindowMs: 10_000 }, id);
    expect(waited).toEqual(waits);
  });

  it('is long enough for a producer whose clock is off', () => {
    expect(waitOf(PUT_WINDOW_MS, [UNFENCED_WRITE_WINDOW_MS])).toBe(MAX_CLOCK_SKEW_MS);
  });
});
