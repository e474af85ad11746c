import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../shared/config/system.ts';
import { StoreRefusedError, StoreUnavailableError } from '../../shared/core/errors.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { absent, equals, present, TABLES_UNDER_TEST } from './tables-under-test.ts';

const TIMER = { shard: '00', due: '2026-01-01T00:00:00.000Z#a' };
const FIRE: readonly Write[] = [
  { op: 'delete', table: 'timers', key: TIMER, condition: equals('rev', 1) },
  { op: 'put', table: 'jobs', row: { id: 'a', rev: 2 }, condition: absent('id') },
];

describe.each(TABLES_UNDER_TEST)('tables in %s: transactions', (_, open) => {
  let tables: Tables;
  beforeEach(async () => {
    tables = await open();
    await tables.write({ op: 'put', table: 'timers', row: { ...TIMER, rev: 1 } });
  });

  test('all writes of a transaction are applied together', async () => {
    const outcome = await tables.transact(
      [
        ...FIRE,
        { op: 'update', table: 'control', key: { pk: 'p', sk: 's' }, set: { to: 'a' }, add: { n: 1 } },
        { op: 'check', table: 'suspended', key: { id: 'a' }, condition: absent('id') },
      ],
      'token',
    );
    expect(outcome).toEqual({ applied: true, attempts: 1 });
    expect(await tables.get('timers', TIMER)).toBeUndefined();
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', rev: 2 });
    expect(await tables.get('control', { pk: 'p', sk: 's' })).toEqual({ pk: 'p', sk: 's', to: 'a', n: 1 });
    expect(await tables.get('suspended', { id: 'a' })).toBeUndefined();
  });

  test('a transaction that fails writes nothing and says why for each write, in order, with the rows it met', async () => {
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', rev: 9 } });
    const outcome = await tables.transact(
      [...FIRE, { op: 'check', table: 'control', key: { pk: 'p', sk: 's' }, condition: present('pk') }],
      'token',
    );
    expect(outcome).toEqual({
      applied: false,
      reasons: [{ code: 'none' }, { code: 'condition', row: { id: 'a', rev: 9 } }, { code: 'condition' }],
      attempts: 1,
    });
    expect(await tables.get('timers', TIMER)).toEqual({ ...TIMER, rev: 1 });
  });

  test('the same token and writes are applied once, however often they are sent', async () => {
    const writes: Write[] = [...FIRE, { op: 'update', table: 'control', key: { pk: 'p', sk: 's' }, set: {}, add: { n: 1 } }];
    expect(await tables.transact(writes, 'fire/a/1')).toMatchObject({ applied: true });
    expect(await tables.transact(writes, 'fire/a/1')).toMatchObject({ applied: true });
    expect(await tables.get('control', { pk: 'p', sk: 's' })).toMatchObject({ n: 1 });
  });

  test('another token is another attempt and meets what the first one did', async () => {
    await tables.transact(FIRE, 'one');
    expect(await tables.transact(FIRE, 'two')).toEqual({
      applied: false,
      reasons: [{ code: 'condition' }, { code: 'condition', row: { id: 'a', rev: 2 } }],
      attempts: 1,
    });
  });

  test('a token that was used for other writes is refused', async () => {
    await tables.transact(FIRE, 'token');
    await expect(tables.transact([{ op: 'put', table: 'jobs', row: { id: 'b' } }], 'token')).rejects.toThrow(StoreRefusedError);
    expect(await tables.get('jobs', { id: 'b' })).toBeUndefined();
  });

  test('a token whose transaction failed is not used up', async () => {
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', rev: 9 } });
    expect(await tables.transact(FIRE, 'token')).toMatchObject({ applied: false });
    await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' } });
    expect(await tables.transact(FIRE, 'token')).toMatchObject({ applied: true });
  });

  test('of 16 transactions at the same time for the same rows, one is applied', async () => {
    const outcomes = await Promise.all(Array.from({ length: 16 }, (_one, index) => tables.transact(FIRE, `token ${index}`)));
    expect(outcomes.filter((outcome) => outcome.applied)).toHaveLength(1);
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', rev: 2 });
  });

  test('100 writes are taken', async () => {
    const writes = Array.from({ length: 100 }, (_one, index): Write => ({ op: 'put', table: 'jobs', row: { id: `job-${index}` } }));
    expect(await tables.transact(writes, 'token')).toMatchObject({ applied: true });
    expect(await tables.get('jobs', { id: 'job-99' })).toEqual({ id: 'job-99' });
  });

  test.each<[string, readonly Write[]]>([
    ['no writes', []],
    ['101 writes', Array.from({ length: 101 }, (_one, index): Write => ({ op: 'put', table: 'jobs', row: { id: `job-${index}` } }))],
    [
      'two writes of the same row',
      [
        { op: 'put', table: 'jobs', row: { id: 'a' } },
        { op: 'delete', table: 'jobs', key: { id: 'a' } },
      ],
    ],
    ['a row of more than 400 KB', [{ op: 'put', table: 'jobs', row: { id: 'a', payload: 'x'.repeat(400 * 1024) } }]],
    [
      'more than 4 MB',
      Array.from({ length: 13 }, (_one, index): Write => ({
        op: 'put',
        table: 'jobs',
        row: { id: `job-${index}`, payload: 'x'.repeat(350 * 1024) },
      })),
    ],
  ])('refuses %s and writes nothing', async (_name, writes) => {
    await expect(tables.transact(writes, 'token')).rejects.toThrow(StoreRefusedError);
    expect((await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 10 })).rows).toEqual([]);
  });

  test('nothing is written after the window of a write has closed', async () => {
    const window = { notAfter: systemClock.now() - 1 };
    await expect(tables.write({ op: 'put', table: 'jobs', row: { id: 'a' } }, window)).rejects.toThrow(StoreUnavailableError);
    await expect(tables.transact(FIRE, 'token', window)).rejects.toThrow(StoreUnavailableError);
    expect(await tables.putAll('jobs', [{ id: 'b' }], window)).toEqual([{ id: 'b' }]);
    expect((await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 10 })).rows).toEqual([]);
    expect(await tables.transact(FIRE, 'token', { notAfter: systemClock.now() + 60_000 })).toMatchObject({ applied: true });
  });
});
