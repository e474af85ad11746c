import { expect, test } from 'vitest';
import { followUp } from '../../../shared/job/follow-up.ts';
import { ScriptedWorld, workItemOf } from '../exhaustive/scripted-world.ts';
import { JOB_TYPES } from '../simulation/workload/work-item-jobs.ts';
import { recordFigures } from '../../support/figures.ts';

const HOUR = 3_600_000;
const CHILDREN = 2_000;

test('two thousand children end side by side: no counter is the one that all of them wait for (batch-hot-row)', async () => {
  const stage = new ScriptedWorld({ settings: { maxConcurrency: 50 } });
  stage.tick(HOUR);
  const ends = new Map<string, number[]>();
  stage.world.store.watch(({ at, changes }) => {
    for (const { table, key, before } of changes) {
      if (table !== 'control' || !String(key['sk']).startsWith('leaf#') || before === undefined) continue;
      const leaf = String(key['sk']);
      ends.set(leaf, [...(ends.get(leaf) ?? []), at]);
    }
  });
  const id = await stage.asClient(async (client) => {
    const workItems = Array.from({ length: CHILDREN }, () => workItemOf({ workMs: 50 }));
    const report = await client.enqueueBatch(JOB_TYPES.usual, workItems, {
      onCompleted: followUp(JOB_TYPES.usual, workItemOf({ tells: 'completed' })),
    });
    for (const child of report.ids) if (child !== undefined) stage.world.checks.accept(child);
    return report.id;
  });
  await stage.until(() => stage.count('finished') === CHILDREN + 1, HOUR);
  const progress = await stage.asClient((client) => client.batch(String(id)));
  expect(progress).toMatchObject({ state: 'finished', total: CHILDREN, succeeded: CHILDREN, fired: ['completed', 'succeeded'] });
  expect(stage.violations).toEqual([]);
  const busiest = Math.max(...[...ends.values()].map((times) => times.length));
  const requests = stage.world.store.operations / CHILDREN;
  // Spread evenly a row would see 31 of them; one row alone would see them all.
  expect(ends.size).toBe(64);
  expect(busiest).toBeLessThan((3 * CHILDREN) / 64);
  // A claim, an end, and a share of what adds it and of the looks at the rules, the batch and its counters.
  expect(requests).toBeLessThan(5);
  recordFigures('scenario-batch', {
    children: CHILDREN,
    counterRows: ends.size,
    percentOfEndsOnTheBusiestRow: Number(((100 * busiest) / CHILDREN).toFixed(1)),
    requestsPerChild: Number(requests.toFixed(2)),
  });
});
