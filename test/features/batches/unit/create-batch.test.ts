import { expect, it } from 'vitest';
import { BatchClosedError, InvalidInputError } from '../../../../shared/job/errors.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { createMemoryTables } from '../../../../shared/adapters/memory/tables.ts';
import { batchHeadKey, decodeBatchHead } from '../../../../shared/features/batches/store/batch-rows.ts';
import { batchLeafKey } from '../../../../shared/store/control-rows.ts';
import {
  cancelBatchRow,
  countedByOpenParent,
  createBatchRows,
  sealBatchRow,
} from '../../../../shared/features/batches/store/create-batch.ts';
import { NOON } from '../../../unit/job/sample-job.ts';

const head = { id: 'b', state: 'open', leaves: 1, maxFailures: 0, createdAt: NOON, callbacks: [], fired: [] } as const;
const batch = (token: string) => ({ head, callbacks: [], counted: [], token });

it('a batch is created once, however late its creation is repeated, and no other takes its id', async () => {
  const clock = new SettableClock(NOON);
  const tables = createMemoryTables({ clock });
  await createBatchRows(tables, batch('one'));
  await clock.advance(11 * 60_000);
  await expect(createBatchRows(tables, batch('one'))).resolves.toBeUndefined();
  await expect(createBatchRows(tables, batch('two'))).rejects.toThrow(InvalidInputError);
});

it('a batch is created in no parent that takes no more', async () => {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await tables.write({ op: 'put', table: 'control', row: { ...batchHeadKey('p'), state: 'sealed' } });
  const child = { ...batch('one'), head: { ...head, parent: 'p', parentLeaf: 0 }, counted: countedByOpenParent('p', 0) };
  await expect(createBatchRows(tables, child)).rejects.toThrow(BatchClosedError);
  expect([await tables.get('control', batchHeadKey('b')), await tables.get('control', batchLeafKey('p', 0))]).toEqual([
    undefined,
    undefined,
  ]);
});

it('a batch is sealed and cancelled once, at its first time', async () => {
  const tables = createMemoryTables({ clock: new SettableClock(NOON) });
  await createBatchRows(tables, batch('one'));
  const row = async () => tables.get('control', batchHeadKey('b'));
  expect([await sealBatchRow(tables, 'b', NOON), await sealBatchRow(tables, 'b', NOON + 1)]).toEqual(['sealed', 'sealed']);
  expect(decodeBatchHead((await row()) ?? {})).toMatchObject({ state: 'sealed', sealedAt: NOON });
  expect([await cancelBatchRow(tables, 'b', NOON + 2), await cancelBatchRow(tables, 'b', NOON + 3)]).toEqual(['cancelled', 'cancelled']);
  expect(decodeBatchHead((await row()) ?? {})).toMatchObject({ cancelledAt: NOON + 2 });
});

it('a head by hand has no more leaves than a transaction looks at', () => {
  expect(decodeBatchHead({ ...batchHeadKey('b'), state: 'open', maxFailures: 0, leaves: 1_000 }).leaves).toBe(64);
  expect(decodeBatchHead({ ...batchHeadKey('b'), state: 'open', maxFailures: 0, leaves: 2 }).leaves).toBe(2);
});
