import { describe, expect, test } from 'vitest';
import { ScriptedWorld, workItemOf } from '../exhaustive/scripted-world.ts';
import type { WorkItem } from '../simulation/workload/work-item-jobs.ts';
import { JOB_TYPES } from '../simulation/workload/work-item-jobs.ts';
import { recordFigures } from '../../support/figures.ts';
import { momentsOf, percentile } from './run-times.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** How long the overload lasts. */
const HOURS = 3;

const sendsOf = (stage: ScriptedWorld): number => [...stage.world.queues.sends.values()].reduce((sum, one) => sum + one.sends, 0);

async function enqueueMany(stage: ScriptedWorld, workItems: readonly Partial<WorkItem>[], delay = 0): Promise<void> {
  await stage.asClient(async (client) => {
    const { ids } = await client.enqueueMany(JOB_TYPES.usual, workItems.map(workItemOf), { delay });
    for (const id of ids) if (id !== undefined) stage.world.checks.accept(id);
  });
}

describe('a thousand jobs of one group', () => {
  test('cost no more than a send and four requests to the store each', async () => {
    const stage = new ScriptedWorld();
    stage.tick(HOUR);
    await enqueueMany(
      stage,
      Array.from({ length: 1_000 }, () => ({ group: 'g', workMs: 50 })),
    );
    await stage.until(() => stage.count('finished') === 1_000, HOUR);
    const [sends, requests] = [sendsOf(stage) / 1_000, stage.world.store.operations / 1_000];
    expect([stage.violations, stage.world.checks.ledger.overlaps, stage.count('finished')]).toEqual([[], 0, 1_000]);
    expect(sends).toBeLessThanOrEqual(2.2);
    expect(requests).toBeLessThanOrEqual(8);
    recordFigures('scenario-one-group', {
      jobs: 1_000,
      sendsPerJob: Number(sends.toFixed(2)),
      requestsPerJob: Number(requests.toFixed(2)),
    });
  });

  test('of two workers, which cannot keep them in order for each other, stay within the same bounds', async () => {
    const stage = new ScriptedWorld();
    stage.tick(3 * HOUR);
    for (let index = 0; index < 500; index++) {
      await stage.enqueue('usual', { group: 'g', workMs: 50 });
      await stage.enqueue('elsewhere', { group: 'g', workMs: 50 });
    }
    await stage.until(() => stage.count('finished') === 1_000, 3 * HOUR);
    expect([stage.violations, stage.world.checks.ledger.overlaps, stage.count('finished')]).toEqual([[], 0, 1_000]);
    expect(sendsOf(stage) / 1_000).toBeLessThanOrEqual(2.2);
    expect(stage.world.store.operations / 1_000).toBeLessThanOrEqual(8);
  });
});

test('ten times as much work as the executors can do, for three hours, does not keep them from doing what they can', async () => {
  // Two executors, a job at a time, four minutes each: thirty jobs an hour, while three hundred come in.
  const stage = new ScriptedWorld({ settings: { maxConcurrency: 2 } });
  stage.source.batch = () => 1;
  const moments = momentsOf(stage.world);
  stage.tick(HOURS * HOUR);
  const start = stage.now;
  for (let minute = 0; minute < HOURS * 60; minute++)
    stage.world.time.after(
      minute * MINUTE,
      () =>
        void enqueueMany(
          stage,
          Array.from({ length: 5 }, () => ({ workMs: 4 * MINUTE })),
        ),
    );
  await stage.pass(HOURS * HOUR);
  const slots = Array.from({ length: HOURS }, () => 0);
  for (const { at } of moments.filter(({ verb }) => verb === 'complete')) {
    const slot = Math.floor((at - start) / HOUR);
    slots[slot] = (slots[slot] ?? 0) + 1;
  }
  const least = Math.min(...slots) / 30;
  const sends = sendsOf(stage) / stage.world.checks.tracker.jobs.size;
  expect(least).toBeGreaterThanOrEqual(0.9);
  expect(sends).toBeLessThan(4);
  expect(stage.violations).toEqual([]);
  recordFigures('scenario-overload', { percentOfGoodputAtLeast: Math.floor(least * 100), sendsPerJob: Number(sends.toFixed(2)) });
});

describe('a dependency that is down for an hour', () => {
  const delaysOfOthers = async (failing: number): Promise<{ p99: number; stage: ScriptedWorld }> => {
    const stage = new ScriptedWorld({ settings: { maxConcurrency: 10 } });
    const moments = momentsOf(stage.world);
    stage.tick(3 * HOUR);
    for (let minute = 0; minute < 60; minute++) {
      stage.world.time.after(
        minute * MINUTE,
        () =>
          void enqueueMany(
            stage,
            Array.from({ length: failing }, () => ({ kind: 'hopeless' as const })),
          ),
      );
      stage.world.time.after(
        minute * MINUTE + 1,
        () =>
          void enqueueMany(
            stage,
            Array.from({ length: 5 }, () => ({ workMs: 500 })),
          ),
      );
    }
    await stage.pass(3 * HOUR);
    const finished = new Set(moments.filter(({ verb }) => verb === 'complete').map(({ id }) => id));
    const delays = moments.filter(({ id, verb }) => verb === 'claim' && finished.has(id)).map(({ at, dueAt }) => at - dueAt);
    return { p99: percentile(delays, 0.99), stage };
  };

  test('costs each of its jobs the tries of its policy and no more, and delays the others less than twice', async () => {
    const quiet = await delaysOfOthers(0);
    const { stage, p99 } = await delaysOfOthers(20);
    const rows = stage.world.store.tables.rows('deadLetters');
    expect(rows).toHaveLength(1_200);
    expect(rows.every((row) => row['starts'] === 4 && row['failures'] === 4)).toBe(true);
    expect(stage.world.checks.ledger.starts).toBe(1_200 * 4 + 300);
    expect([stage.count('finished'), stage.violations, stage.told('reset')]).toEqual([300, [], 0]);
    expect(p99).toBeLessThanOrEqual(2 * Math.max(quiet.p99, 100));
  });
});

test('two thousand timers at one instant all fire, none early, for two requests a job and a few a shard', async () => {
  const stage = new ScriptedWorld();
  const moments = momentsOf(stage.world);
  await enqueueMany(
    stage,
    Array.from({ length: 2_000 }, () => ({ workMs: 50 })),
    HOUR,
  );
  stage.tick(HOUR + 10 * MINUTE);
  await stage.pass(HOUR - 6 * MINUTE);
  const before = stage.world.store.operations;
  await stage.pass(5 * MINUTE);
  const firing = stage.world.store.operations - before;
  await stage.pass(10 * MINUTE);
  const late = moments.filter(({ verb }) => verb === 'claim').map(({ at, dueAt }) => at - dueAt);
  expect(late).toHaveLength(2_000);
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...late)).toBeLessThan(MINUTE);
  expect(firing).toBeLessThan(2_000);
  expect([stage.count('finished'), stage.violations]).toEqual([2_000, []]);
  recordFigures('scenario-midnight', { timers: 2_000, msLateAtMost: Math.max(...late), requestsToFire: firing });
});
