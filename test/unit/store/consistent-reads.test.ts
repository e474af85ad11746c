import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../operate/admin.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { shardOf } from '../../../shared/job/job-id.ts';
import type { Query } from '../../../shared/ports/tables.ts';
import { readBatch } from '../../../shared/features/batches/store/batch-rows.ts';
import { readMet } from '../../../operate/bulk/bulk-rows.ts';
import { limitPartition } from '../../../shared/store/parked-rows.ts';
import { fillRoom } from '../../../shared/features/limits/store/release-parked.ts';
import { readSlots } from '../../../shared/features/limits/store/slots.ts';
import { anyPayload, Rig } from '../../support/rig.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload });

/** A rig, and the queries that it makes. */
function watched(): { readonly rig: Rig; readonly queries: Query[] } {
  const rig = new Rig({ handlers: [work.handle(() => undefined)] });
  const queries: Query[] = [];
  const query = rig.tables.query.bind(rig.tables);
  rig.tables.query = async (asked) => (queries.push(asked), query(asked));
  return { rig, queries };
}

/** What decides on rows that were written a moment ago must not read an old copy of them, which a store in memory never has. */
describe('a strongly consistent read', () => {
  it('shows the slots of a limit', async () => {
    const { rig, queries } = watched();
    await readSlots(rig.tables, 'h');
    expect(queries).toMatchObject([{ partition: limitPartition('h'), consistent: true }]);
  });

  it('shows who is parked when room came up', async () => {
    const { rig, queries } = watched();
    await fillRoom(rig.deps, { hash: 'h', name: 'l', n: 1 }, rig.clock.now() + HOUR);
    expect(queries.filter(({ table }) => table === 'timers')).toMatchObject([{ partition: limitPartition('h'), consistent: true }]);
  });

  it('shows the counters of a batch', async () => {
    const { rig, queries } = watched();
    const { id } = await rig.client.enqueueBatch(work, [{}], {});
    queries.length = 0;
    await readBatch(rig.tables, id);
    expect(queries.length).toBeGreaterThan(0);
    expect(queries.every(({ consistent }) => consistent === true)).toBe(true);
  });

  it('shows the jobs that a bulk action met', async () => {
    const { rig, queries } = watched();
    await readMet(rig.tables, 'b');
    expect(queries).toMatchObject([{ consistent: true }]);
  });

  it('shows the timers that are fired, after a cheaper look whether there are any', async () => {
    const { rig, queries } = watched();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    await rig.fire();
    const looks = queries.filter(({ table, partition }) => table === 'timers' && partition === shardOf(id));
    expect(looks.map(({ consistent }) => consistent === true)).toEqual([false, true]);
  });

  it('shows what is suspended before the jobs of a suspension are resumed', async () => {
    const { rig, queries } = watched();
    const admin = createAdminOver(rig.deps);
    await admin.suspend({ type: 'work' }, { reason: 'r' });
    await rig.client.enqueue(work, {});
    await rig.drain();
    queries.length = 0;
    await rig.sweep();
    expect(queries.filter(({ partition }) => partition === 'rules')).toMatchObject([{ consistent: true }]);
  });
});
