import { describe, expect, test } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { startOutside } from '../../support/outside-worker.ts';
import { anyPayload, Rig } from '../../support/rig.ts';
import { severedTables } from '../../support/severed-tables.ts';

const MINUTE = 60_000;
const keyed = defineJob('keyed', { payload: anyPayload, retry: 'R3/PT10S' });
const grouped = defineJob('grouped', { payload: anyPayload, retry: 'R3/PT10S', group: 'g' });

interface Life {
  readonly calls: number;
  readonly died: boolean;
  readonly completed: number;
  readonly overlaps: number;
}

async function pass(rig: Rig, ms: number, stepMs = 1_000): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    await rig.settle();
    await rig.clock.advance(stepMs);
  }
  await rig.settle();
}

/** A worker runs jobs that take a few heartbeats, fail once, have keys and groups; it dies, and another one does the rest. */
async function live(diesAt?: number): Promise<Life> {
  let [running, overlaps] = [0, 0];
  const handle = async (attempt: number, inGroup: boolean): Promise<void> => {
    if (inGroup && ++running > 1) overlaps += 1;
    await rig.clock.wait(30_000);
    if (inGroup) running -= 1;
    if (attempt === 1) throw new Error('once');
  };
  const rig: Rig = new Rig({
    history: 'durable',
    // Its queues then hide a message for a minute, as those of a worker outside Lambda hide it for a few.
    settings: { executorTimeoutMs: 10_000 },
    handlers: [keyed.handle(({ job }) => handle(job.attempt, false)), grouped.handle(({ job }) => handle(job.attempt, true))],
  });
  const ids = [
    (await rig.client.enqueue(keyed, {}, { key: 'k' })).id,
    (await rig.client.enqueue(grouped, {})).id,
    (await rig.client.enqueue(grouped, {})).id,
  ];
  const severed = severedTables(rig.tables);
  if (diesAt !== undefined) severed.dieAt(diesAt);
  const first = startOutside(rig, { concurrency: 3 }, { ...rig.deps, tables: severed.tables });
  // Its handlers go on in memory, as those of a frozen process would, so groups are looked at only while it lives.
  for (let second = 0; second < 200 && !severed.dead; second++) await pass(rig, 1_000);
  const calls = severed.calls;
  first.stop();
  const seen = overlaps;
  const next = startOutside(rig, { concurrency: 3 });
  for (let minute = 0; minute < 15; minute++) {
    await rig.sweep();
    await pass(rig, MINUTE, 10_000);
  }
  next.stop();
  await rig.until(next.ended);
  for (const id of ids) expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0, suspended: 0 });
  expect((await rig.rows('control')).filter(({ pk }) => /^(group|key)#/.test(String(pk)))).toEqual([]);
  return { calls, died: severed.dead, completed: rig.journal.count('completed'), overlaps: seen };
}

describe('a worker outside Lambda that dies', () => {
  test('at any of its calls, when the store has taken it, loses no job, completes none twice and leaves nothing behind', async () => {
    const whole = await live();
    expect(whole).toMatchObject({ died: false, completed: 3, overlaps: 0 });
    expect(whole.calls).toBeGreaterThan(25);
    for (let at = 1; at <= whole.calls; at++) {
      const run = await live(at);
      expect({ at, ...run }).toMatchObject({ died: true, overlaps: 0 });
      // A completion whose reply never came was told to nobody.
      expect(run.completed, `call ${at}`).toBeLessThanOrEqual(3);
    }
  });
});
