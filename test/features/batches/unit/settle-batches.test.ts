import { expect, it } from 'vitest';
import { settleBatches } from '../../../../functions/sweeper/duties/settle-batches.ts';
import { Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const PARALLEL = 8;

/** A sweeper over this many open batches, whose time ends in each run when it has looked at `looks` of them. */
async function shortRuns(count: number, looks: number) {
  const rig = new Rig();
  for (let n = 0; n < count; n++) await rig.client.createBatch({ id: `batch-${String(n).padStart(3, '0')}`, expected: 1 });
  const seen = new Set<string>();
  let left = 0;
  const query = rig.tables.query.bind(rig.tables);
  rig.tables.query = async (asked) => {
    if (asked.partition.startsWith('batch#')) {
      seen.add(asked.partition);
      if (--left === 0) await rig.clock.advance(MINUTE);
    }
    return query(asked);
  };
  const run = async (): Promise<number> => {
    left = looks;
    return settleBatches({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + MINUTE);
  };
  return { run, seen, rig };
}

it('a run over batches whose time ends within a page goes on behind the last one that it looked at', async () => {
  const { run, seen } = await shortRuns(130, 60);
  for (let runs = 1; runs <= 3; runs++) expect(await run()).toBeLessThan(60 + PARALLEL);
  expect(seen.size).toBe(130);
});

it('a run over batches that has no time stays where it was', async () => {
  const { run, seen, rig } = await shortRuns(130, 60);
  await run();
  const looked = seen.size;
  const deps = { ...rig.deps, backlog: rig.hints };
  expect(await settleBatches(deps, rig.clock.now())).toBe(0);
  await run();
  expect(seen.size).toBeGreaterThanOrEqual(looked + 60);
});
