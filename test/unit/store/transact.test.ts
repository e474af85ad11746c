import { expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { createMemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { CancelReason, Write } from '../../../shared/ports/tables.ts';
import { noRow } from '../../../shared/store/conditions.ts';
import { BESIDE, transact, tryTransact } from '../../../shared/store/transact.ts';

const put = (id: string): Write => ({ op: 'put', table: 'jobs', row: { id, n: 1 }, condition: noRow('id') });
const count: Write = { op: 'update', table: 'control', key: { pk: 'a', sk: 'b' }, set: {}, add: { total: 1 } };

/** Tables whose transactions are refused for these reasons, in the order of the writes. */
function refusing(...reasons: readonly CancelReason[]) {
  const tables = createMemoryTables();
  tables.transact = async () => ({ applied: false, attempts: 1, reasons });
  return tables;
}

it('a refusal is told by the name of the write, with the row that it met', async () => {
  const tables = createMemoryTables();
  await tables.write({ op: 'put', table: 'jobs', row: { id: 'b', n: 7 } });
  const outcome = await transact(tables, 'token', { first: put('a'), left: undefined, others: [put('c'), put('b')] });
  if (outcome.applied) throw new Error('it was applied');
  expect([outcome.failed('first'), outcome.failed('left'), outcome.failed('others')]).toEqual([false, false, true]);
  expect(outcome.row('others')).toEqual({ id: 'b', n: 7 });
  expect(outcome.row('first')).toBeUndefined();
  expect(tables.rows('jobs')).toHaveLength(1);
});

it('what only adds to one row is one write, and each of its names learns its refusal', async () => {
  const tables = createMemoryTables();
  expect(await tryTransact(tables, 'token', { one: count, other: [count, put('a')] })).toMatchObject({ applied: true });
  expect(tables.rows('control')).toEqual([{ pk: 'a', sk: 'b', total: 2 }]);
  const outcome = await tryTransact(refusing({ code: 'conflict' }, { code: 'none' }), 'token', { one: count, other: [count, put('a')] });
  expect(!outcome.applied && [outcome.spared('one'), outcome.spared('other')]).toEqual([false, false]);
});

it('conflicts alone say nothing about the rows: they are an error, unless the caller tries again itself', async () => {
  const tables = refusing({ code: 'conflict' }, { code: 'none' });
  const writes = { first: put('a'), second: put('b') };
  await expect(transact(tables, 'token', writes)).rejects.toThrow(StoreUnavailableError);
  const outcome = await tryTransact(tables, 'token', writes);
  expect(!outcome.applied && outcome.byConflict).toBe(true);
  expect(!outcome.applied && [outcome.failed('first'), outcome.spared('first'), outcome.spared('second')]).toEqual([false, false, true]);
});

it("a refusal of a user's own items has a name too", async () => {
  const outcome = await transact(refusing({ code: 'none' }, { code: 'condition' }), 'token', { first: put('a') }, { beside: [{}] });
  expect(!outcome.applied && [outcome.failed(BESIDE), outcome.failed('first')]).toEqual([true, false]);
});

it('attempts of one name are one attempt, those of two are two', async () => {
  const tables = createMemoryTables();
  const writes = { first: put('a') };
  for (const [token, applied] of [
    ['one', true],
    ['one', true],
    ['two', false],
  ] as const)
    expect((await transact(tables, token, writes)).applied).toBe(applied);
});
