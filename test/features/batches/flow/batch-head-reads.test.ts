import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
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
