import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { InvalidInputError, StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { batchHeadKey } from '../../../../shared/features/batches/store/batch-rows.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const child = defineJob('child', { payload: anyPayload });

/** Runs children of a batch one by one; how often its head was read when the last of them began. */
async function headReads(children: number, answers: boolean): Promise<{ readonly rig: Rig; readonly reads: number; readonly ran: number }> {
  let [reads, seen, ran] = [0, 0, 0];
  const handled = child.handle(() => {
    ran += 1;
    seen = reads;
  });
  const rig = new Rig({ handlers: [handled], settings: { batchConcurrency: 1 } });
  const batch = await rig.client.enqueueBatch(
    child,
    Array.from({ length: children }, () => ({})),
  );
  const get = rig.tables.get.bind(rig.tables);
  rig.tables.get = async (table, key) => {
    if (JSON.stringify(key) !== JSON.stringify(batchHeadKey(batch.id))) return get(table, key);
    reads += 1;
    if (!answers && ran < children) throw new StoreUnavailableError('get', new Error('down'));
    return get(table, key);
  };
  await rig.deliver();
  return { rig, reads: seen, ran };
}

it('an invocation asks once whether a batch was cancelled, for all of its children', async () => {
  expect(await headReads(3, true)).toMatchObject({ ran: 3, reads: 1 });
});

it('a child runs when it cannot be known whether its batch was cancelled, and that is journalled', async () => {
  const { rig, ran } = await headReads(1, false);
  expect(ran).toBe(1);
  expect(rig.journal.count('store-failed')).toBe(1);
});

describe('the list of unfinished batches', () => {
  it('leaves out a batch whose head cannot be read, and shows the others', async () => {
    const rig = new Rig();
    for (const id of ['a', 'b']) await rig.client.createBatch({ id });
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: 'batch#a', sk: 'head' }, set: { leaves: 'many' } });
    expect((await createAdminOver(rig.deps).batches()).batches).toMatchObject([{ id: 'b' }]);
  });

  it.each([0, 1.5, 1_001, 'x'])('refuses %j as its limit', async (limit) => {
    await expect(createAdminOver(new Rig().deps).batches({ limit: limit as never })).rejects.toThrow(InvalidInputError);
  });
});
