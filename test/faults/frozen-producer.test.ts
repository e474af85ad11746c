import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { aimAt } from '../../testing/index.ts';
import { type SdkRig, sdkRig, work } from './fenced-verbs.ts';

const MINUTE = 60_000;
const STEPS = 3;

/** A rig whose handler counts its runs, and what others do for some minutes while the producer is frozen. */
async function producer(): Promise<{ rig: SdkRig; runs: string[]; pass: (minutes: number) => Promise<void> }> {
  const runs: string[] = [];
  const rig = await sdkRig({ handlers: [work.handle(({ job }) => void runs.push(job.id))] });
  const pass = async (minutes: number): Promise<void> => {
    for (let step = 0; step < STEPS; step++) {
      await rig.clock.advance((minutes / STEPS) * MINUTE);
      if ((await rig.counts()).timers > 0) await rig.fire();
      await rig.sweep();
      await rig.drain();
    }
  };
  return { rig, runs, pass };
}

describe('a producer that freezes between a lost reply and the SDK’s next attempt', () => {
  it.each([
    ['enqueues', 'PutItem', {}, 12],
    ['schedules', 'PutItem', { delay: 'PT20M' }, 40],
    ['enqueues with a key', 'TransactWriteItems', { key: 'k' }, 12],
  ] as const)('and %s does not put back a job that finished meanwhile', async (_title, operation, options, minutes) => {
    const { rig, runs, pass } = await producer();
    rig.faults.next(aimAt(operation), { fault: 'lost-reply', meanwhile: async () => pass(minutes) });
    await expect(rig.client.enqueue(work, {}, options)).rejects.toThrow(StoreUnavailableError);
    expect([rig.faults.pending(), runs.length]).toEqual([0, 1]);
    await pass(30);
    expect(runs).toHaveLength(1);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
  });

  it('in the middle of a bulk enqueue puts nothing back and runs each job once', async () => {
    const { rig, runs, pass } = await producer();
    rig.faults.next(aimAt('BatchWriteItem'), { fault: 'lost-reply', meanwhile: async () => pass(12) });
    const { failed } = await rig.client.enqueueMany(work, [{}, {}, {}]);
    expect([failed.length, runs.length]).toEqual([3, 3]);
    await pass(12);
    expect(runs).toHaveLength(3);
  });
});

it('a put that was signed in time and arrives as late as AWS takes its signature comes before the job has run', async () => {
  const { rig, runs, pass } = await producer();
  rig.faults.next(aimAt('PutItem'), 'lost-reply');
  rig.faults.next(aimAt('PutItem'), { fault: 'late', ms: 0, meanwhile: async () => pass(5) });
  const { id } = await rig.client.enqueue(work, {});
  expect(rig.faults.pending()).toBe(0);
  await pass(30);
  expect(runs).toEqual([id]);
  expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
});

it('a producer that is throttled for a while, and whose requests AWS once takes for too old, loses nothing', async () => {
  const { rig, runs } = await producer();
  for (const fault of ['throttle', 'signature-expired', 'reset'] as const) rig.faults.next(aimAt('PutItem'), fault);
  await rig.client.enqueue(work, {});
  rig.faults.next(aimAt('UpdateItem'), 'throttle');
  rig.faults.next(aimAt('DeleteItem'), 'throttle');
  await rig.drain();
  expect([rig.faults.pending(), runs.length, rig.journal.count('failed')]).toEqual([0, 1, 0]);
  expect(await rig.counts()).toMatchObject({ jobs: 0 });
});
