import { describe, expect, it } from 'vitest';
import type { Query, Row } from '../../../../shared/ports/tables.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { errorGroupKey } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { countOpen, settleByCount, settleGroup } from '../../../../shared/features/error-groups/store/settle-error-group.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';

const HOUR = 3_600_000;
const key = errorGroupKey('f');

/** A group that was quiet for an hour, with counters. */
async function group(counts: Row) {
  const rig = faultyRig();
  await rig.clock.advance(HOUR);
  const row: Row = { ...key, type: 't', errorName: 'E', message: 'm', sample: 's', firstSeen: iso(0), lastSeen: iso(0), ...counts };
  await rig.tables.write({ op: 'put', table: 'control', row });
  const settled = async () => (await rig.tables.get('control', key))?.['settled'];
  return { rig, row, settled };
}

describe('the count of an error group', () => {
  it.each([
    [{ seen: 5, redriven: 1 }, 2, -2],
    [{ seen: 5, settled: -2 }, 4, -1],
    [{ seen: 1 }, 0, -1],
  ])('is set right by what lies there (%o, of which there are %i)', async (counts, count, settled) => {
    const { rig, row, settled: now } = await group(counts);
    await settleByCount(rig.deps, row, count, 100);
    expect(await now()).toBe(settled);
  });

  it.each([
    [{ seen: 9 }, 0],
    [{ seen: 1 }, 3],
  ])('is at least what was counted where not all was (%o)', async (counts, settled) => {
    const { rig, row, settled: now } = await group(counts);
    await settleByCount(rig.deps, row, 4, 3);
    expect(await now()).toBe(settled);
  });

  it.each(['seen', 'redriven', 'deleted', 'settled'])('is left alone when %s changed since it was read', async (name) => {
    const { rig, row, settled } = await group({ seen: 5, redriven: 1, deleted: 1, settled: 1 });
    await rig.tables.write({ op: 'update', table: 'control', key, set: {}, add: { [name]: 1 } });
    const before = await settled();
    await settleByCount(rig.deps, row, 0, 100);
    expect(await settled()).toBe(before);
  });

  it('brings back no group that is gone', async () => {
    const { rig, row } = await group({ seen: 5 });
    await rig.tables.write({ op: 'delete', table: 'control', key });
    await settleByCount(rig.deps, { ...row, seen: undefined as never }, 0, 100);
    expect(await rig.tables.get('control', key)).toBeUndefined();
  });

  it('that the store does not give is journalled, and stops no job', async () => {
    const { rig, row, settled } = await group({ seen: 5 });
    rig.faults.unreadable(({ table }) => table === 'deadLetters');
    expect(await settleGroup(rig.deps, row)).toBe(0);
    expect(rig.journal.entries).toMatchObject([{ event: 'store-failed', reason: 'error-group#f' }]);
    expect(await settled()).toBeUndefined();
  });

  it('reads no more of a leaf than it takes to tell, nor more than a page', async () => {
    const { rig } = await group({ seen: 5 });
    const queries: Query[] = [];
    const query = rig.tables.query.bind(rig.tables);
    const tables = { ...rig.tables, query: async (asked: Query) => (queries.push(asked), query(asked)) };
    const asked = async (count: Parameters<typeof countOpen>[2]) => {
      queries.length = 0;
      await countOpen(tables, 'f', count);
      return new Set(queries.map(({ limit }) => limit));
    };
    expect(await asked({ atMost: 3, gone: new Set(['a', 'b']) })).toEqual(new Set([6]));
    expect(await asked({})).toEqual(new Set([1_000]));
  });
});
