import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { fail } from '../../shared/core/verdict.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { anyPayload } from '../support/rig.ts';

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
  return { rig, id, ids: ids.map(String), listed, admin: createAdminOver(rig.parts) };
}

describe('a batch whose dead letters are redriven', () => {
  it('is listed again without a row that all their transactions would fight over', async () => {
    const { rig, id, listed } = await endedBatch(60);
    let [together, alone] = [0, 0];
    const tables: Tables = {
      ...rig.parts.tables,
      write: async (one, window) => ((alone += isListRow(one) ? 1 : 0), rig.parts.tables.write(one, window)),
      transact: async (writes, ...more) => ((together += writes.some(isListRow) ? 1 : 0), rig.parts.tables.transact(writes, ...more)),
    };
    const report = await createAdminOver({ ...rig.parts, tables }).bulk({ verb: 'redrive' }, { batch: id, state: 'dead' });
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
