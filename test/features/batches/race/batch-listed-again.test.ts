import { describe, expect, it } from 'vitest';
import { settleBatches } from '../../../../functions/sweeper/duties/settle-batches.ts';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { fail } from '../../../../shared/job/verdict.ts';
import type { Tables, Write } from '../../../../shared/ports/tables.ts';
import { listBatchAgain } from '../../../../shared/features/batches/store/list-batch-again.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload } from '../../../support/rig.ts';

const child = defineJob('child', { payload: anyPayload, retry: 'never' });
const isListRow = (write: Write): boolean =>
  write.table === 'control' && (write.op === 'put' ? write.row['pk'] : write.key['pk']) === 'batches';
const bringsBack = (writes: readonly Write[]): boolean => writes.some(({ op, table }) => op === 'put' && table === 'jobs');

/** A batch whose children all died, told and off the list. */
async function endedBatch(count: number) {
  const rig = faultyRig({ handlers: [child.handle(({ payload }) => (payload['fine'] === true ? undefined : fail('no')))] });
  const { id, ids } = await rig.client.enqueueBatch(
    child,
    Array.from({ length: count }, () => ({})),
  );
  await rig.drain();
  await rig.sweep();
  const listed = async (): Promise<boolean> => (await rig.rows('control')).some(({ pk, sk }) => pk === 'batches' && sk === id);
  expect(await listed()).toBe(false);
  return { rig, id, ids: ids.map(String), listed, admin: createAdminOver(rig.deps) };
}

describe('a batch whose dead letters are redriven', () => {
  it('is listed again without a row that all their transactions would fight over', async () => {
    const { rig, id, listed } = await endedBatch(60);
    let [together, alone] = [0, 0];
    const tables: Tables = {
      ...rig.deps.tables,
      write: async (one, window) => ((alone += isListRow(one) ? 1 : 0), rig.deps.tables.write(one, window)),
      transact: async (writes, ...more) => ((together += writes.some(isListRow) ? 1 : 0), rig.deps.tables.transact(writes, ...more)),
    };
    const report = await createAdminOver({ ...rig.deps, tables }).bulk({ verb: 'redrive' }, { batch: id, state: 'dead' });
    expect(report).toMatchObject({ done: 60, failed: 0 });
    expect(together).toBe(0);
    expect(alone).toBeLessThanOrEqual(16);
    expect(await listed()).toBe(true);
    expect(await rig.client.batch(id)).toMatchObject({ failed: 0, pending: 60 });
  });

  it('keeps no redrive from another try that met the transaction of another', async () => {
    const { rig, admin, ids } = await endedBatch(1);
    rig.faults.next(bringsBack, 'conflict', 2);
    expect(await admin.redrive(ids[0] ?? '')).toBe('redriven');
    expect(rig.faults.pending()).toBe(0);
    rig.faults.next(bringsBack, 'conflict', 3);
    await rig.drain();
    await expect(admin.redrive(ids[0] ?? '')).rejects.toThrow('did not answer');
  });

  it('stays listed although the sweeper looks right before the child is back, and leaves the list in the end', async () => {
    const { rig, admin, ids, listed } = await endedBatch(2);
    await admin.redrive(ids[0] ?? '', { payload: { fine: true } });
    await rig.drain();
    await rig.clock.advance(10_000);
    rig.faults.before(bringsBack, async () => rig.sweep());
    await admin.redrive(ids[1] ?? '', { payload: { fine: true } });
    expect(rig.faults.pending()).toBe(0);
    expect(await listed()).toBe(true);
    await rig.drain();
    await rig.clock.advance(60_000);
    await rig.sweep();
    expect(await listed()).toBe(false);
  });
});

describe('a sweeper that looks at a batch of which a child came back', () => {
  const fine = { payload: { fine: true } };

  it('keeps it on the list as long as that child lives', async () => {
    const { rig, admin, ids, listed } = await endedBatch(2);
    await admin.redrive(ids[0] ?? '', fine);
    await rig.clock.advance(2 * 60_000);
    await rig.sweep();
    expect(await listed()).toBe(true);
  });

  it('keeps it on the list when it was listed anew after the look', async () => {
    const { rig, id, admin, ids, listed } = await endedBatch(2);
    await admin.redrive(ids[0] ?? '', fine);
    await rig.drain();
    await rig.clock.advance(60_000);
    rig.faults.before(
      (writes) => writes.some((write) => isListRow(write) && write.op === 'delete'),
      async () => listBatchAgain(rig.tables, id, 'another', rig.clock.now()),
    );
    await rig.sweep();
    expect(rig.faults.pending()).toBe(0);
    expect(await listed()).toBe(true);
  });

  it('goes by when it began to look, however long that took', async () => {
    const { rig, admin, ids, listed } = await endedBatch(2);
    await admin.redrive(ids[0] ?? '', fine);
    await rig.drain();
    await rig.clock.advance(10_000);
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      if (asked.partition.startsWith('batch#')) await rig.clock.advance(70_000);
      return query(asked);
    };
    await settleBatches({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + 600_000);
    rig.tables.query = query;
    expect(await listed()).toBe(true);
    await rig.clock.advance(60_000);
    await rig.sweep();
    expect(await listed()).toBe(false);
  });

  it('takes it off although it was listed by a clock that was far ahead', async () => {
    const { rig, id, listed } = await endedBatch(1);
    await listBatchAgain(rig.tables, id, 'ahead', rig.clock.now() + 3_600_000);
    await rig.sweep();
    expect(await listed()).toBe(false);
  });
});
