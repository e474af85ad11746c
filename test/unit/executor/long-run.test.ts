import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { LongRun } from '../../../functions/executor/long-run.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { aimAtChangeOf } from '../../support/faulty-tables.ts';
import { anyPayload } from '../../support/rig.ts';

const SECOND = 1_000;
const work = defineJob('work', { payload: anyPayload });
const isProgress = aimAtChangeOf('progress');

async function running(limitMs = 100 * SECOND) {
  const rig = faultyRig({ settings: { yieldReserveMs: 5 * SECOND } });
  const job = await take(rig, (await rig.client.enqueue(work, {})).id);
  const run = new LongRun(rig.deps, job, { limitMs, signal: new AbortController().signal });
  const written = async () => (await rig.tables.get('jobs', { id: job.id }))?.['progress'];
  return { rig, run, written };
}

describe('a long run', () => {
  it.each([
    ['the reserve before its limit', 100 * SECOND, 95 * SECOND],
    ['a tenth before a short one', 10 * SECOND, 9 * SECOND],
  ])('makes room from %s on', async (_, limitMs, yieldsMs) => {
    const { rig, run } = await running(limitMs);
    await rig.clock.advance(yieldsMs - 1);
    expect(() => run.context.yieldIfNeeded({ at: 1 })).not.toThrow();
    await rig.clock.advance(1);
    expect(() => run.context.yieldIfNeeded({ at: 1 })).toThrow('goes on in another one');
  });

  it('writes its progress once a second, and what is left of it at its end', async () => {
    const { rig, run, written } = await running();
    run.context.progress(10);
    await rig.settle();
    await rig.clock.advance(SECOND - 1);
    run.context.progress(20);
    await rig.settle();
    expect(await written()).toBe(10);
    await rig.clock.advance(1);
    run.context.progress(30);
    await rig.settle();
    expect(await written()).toBe(30);
    run.context.progress(40);
    expect(await run.end(false)).toMatchObject({ progress: 40 });
    expect(await written()).toBe(40);
    expect(rig.clock.pending).toEqual([]);
  });

  it('ends with its progress although the store does not take it', async () => {
    const { rig, run } = await running();
    rig.faults.next(isProgress, 'unavailable', 2);
    run.context.progress(10);
    run.context.progress(20);
    expect(await run.end(false)).toMatchObject({ progress: 20 });
    expect(rig.faults.pending()).toBe(0);
  });
});
