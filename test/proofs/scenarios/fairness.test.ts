import { describe, expect, test } from 'vitest';
import { ScriptedWorld, workItemOf } from '../exhaustive/scripted-world.ts';
import { type WorkItem, JOB_TYPES } from '../simulation/workload/work-item-jobs.ts';
import { momentsOf, percentile } from './run-times.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

async function enqueueMany(stage: ScriptedWorld, workItems: readonly Partial<WorkItem>[], priority = 0): Promise<readonly string[]> {
  let accepted: readonly string[] = [];
  await stage.asClient(async (client) => {
    const { ids } = await client.enqueueMany(JOB_TYPES.usual, workItems.map(workItemOf), { priority });
    accepted = ids.filter((id) => id !== undefined);
    for (const id of accepted) stage.world.checks.accept(id);
  });
  return accepted;
}

const times = (count: number, workItem: Partial<WorkItem>): readonly Partial<WorkItem>[] => Array.from({ length: count }, () => workItem);

describe('no group starves', () => {
  test('while one group has a queue of five minutes the others wait for seconds', async () => {
    const stage = new ScriptedWorld({ settings: { maxConcurrency: 5 } });
    const moments = momentsOf(stage.world);
    stage.tick(HOUR);
    const busy = await enqueueMany(stage, times(300, { group: 'busy', workMs: SECOND }));
    const others = (
      await Promise.all(Array.from({ length: 30 }, async (_, n) => enqueueMany(stage, times(3, { group: `quiet ${n}`, workMs: SECOND }))))
    ).flat();
    await stage.until(() => stage.count('finished') === 390, HOUR);
    const waits = (ids: readonly string[]): number[] =>
      moments.filter(({ id, verb }) => verb === 'claim' && ids.includes(id)).map(({ at, dueAt }) => at - dueAt);
    expect([waits(busy).length, waits(others).length, stage.violations]).toEqual([300, 90, []]);
    // Ninety jobs of a second each by four executors: the fifth has the busy group.
    expect(Math.max(...waits(others))).toBeLessThan(MINUTE);
    expect(Math.max(...waits(busy))).toBeGreaterThan(4 * MINUTE);
  });
});

describe('no lane starves', () => {
  /** A time in which one lane has more than its executors can do, and the other a job a minute. */
  const MINUTES = 12;
  async function flooded(full: number, trickle: number): Promise<{ readonly waits: readonly number[]; readonly perMinute: number }> {
    const stage = new ScriptedWorld({ settings: { maxConcurrency: 5 } });
    const moments = momentsOf(stage.world);
    stage.tick(HOUR);
    const flood = await enqueueMany(stage, times(40 * MINUTES, { workMs: 20 * SECOND }), full);
    const few: string[] = [];
    for (let minute = 1; minute < MINUTES; minute++) {
      await stage.pass(MINUTE);
      few.push(...(await enqueueMany(stage, times(1, { workMs: SECOND }), trickle)));
    }
    await stage.pass(MINUTE);
    expect(stage.violations).toEqual([]);
    const started = moments.filter(({ verb }) => verb === 'claim');
    const waits = started.filter(({ id }) => few.includes(id)).map(({ at, dueAt }) => at - dueAt);
    expect(waits).toHaveLength(MINUTES - 1);
    return { waits, perMinute: started.filter(({ id }) => flood.includes(id)).length / MINUTES };
  }

  test.each([
    ['an urgent job never waits for the bulk', 0, 9],
    ['the bulk never waits for the urgent', 9, 0],
  ])('%s, and the full lane keeps all of its executors', async (_, full, trickle) => {
    const { waits, perMinute } = await flooded(full, trickle);
    expect(percentile([...waits], 1)).toBeLessThan(2 * SECOND);
    expect(perMinute).toBeGreaterThan(14);
  });
});
