import { beforeEach, describe, expect, test } from 'vitest';
import { StoreRefusedError } from '../../shared/core/errors.ts';
import type { Query, Row, Tables } from '../../shared/ports/tables.ts';
import { absent, atMost, everyPage, TABLES_UNDER_TEST } from './tables-under-test.ts';

const timers = (count: number, shard = '00'): Row[] =>
  Array.from({ length: count }, (_, index) => ({ shard, due: `2026-01-01T00:00:${String(index).padStart(2, '0')}.000Z#id`, n: index }));
const numbers = (rows: readonly Row[]): unknown[] => rows.map((row) => row['n']);

describe.each(TABLES_UNDER_TEST)('tables in %s: queries, scans and puts in number', (_, open) => {
  let tables: Tables;
  beforeEach(async () => {
    tables = await open();
  });
  const query = (asked: Partial<Query>) => tables.query({ table: 'timers', partition: '00', limit: 100, ...asked });

  test('a query gives one partition in sort-key order', async () => {
    await tables.putAll('timers', [...timers(10).toReversed(), ...timers(3, '01')]);
    expect(numbers((await query({ consistent: true })).rows)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect((await query({ partition: '02' })).rows).toEqual([]);
  });

  test('from and through are both taken in, and newestFirst turns the order', async () => {
    await tables.putAll('timers', timers(10));
    const range = { from: '2026-01-01T00:00:03', through: '2026-01-01T00:00:06.000Z#id' };
    expect(numbers((await query(range)).rows)).toEqual([3, 4, 5, 6]);
    expect(numbers((await query({ ...range, newestFirst: true })).rows)).toEqual([6, 5, 4, 3]);
    expect(numbers((await query({ from: range.from })).rows)).toEqual([3, 4, 5, 6, 7, 8, 9]);
    expect(numbers((await query({ through: range.through })).rows)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test.each([false, true])('pages follow one another without gap or overlap (newest first: %s)', async (newestFirst) => {
    await tables.putAll('timers', timers(23));
    const rows = await everyPage((after) => query({ limit: 5, newestFirst, ...(after === undefined ? {} : { after }) }));
    const expected = Array.from({ length: 23 }, (_one, index) => index);
    expect(numbers(rows)).toEqual(newestFirst ? expected.toReversed() : expected);
  });

  test('a cursor stays good when its own row is gone', async () => {
    await tables.putAll('timers', timers(6));
    const first = await query({ limit: 3 });
    for (const { shard, due } of first.rows)
      await tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
    const after = first.cursor;
    expect(after).toBeDefined();
    expect(numbers((await query(after === undefined ? {} : { after })).rows)).toEqual([3, 4, 5]);
  });

  test('whether nothing is due costs half a read unit, asked consistently one', async () => {
    expect((await query({ limit: 1 })).readUnits).toBe(0.5);
    expect((await query({ limit: 1, consistent: true })).readUnits).toBe(1);
  });

  test('a page ends before it has more than 1 MB or so, with a cursor', async () => {
    await tables.putAll(
      'timers',
      timers(8).map((row) => ({ ...row, payload: 'x'.repeat(300 * 1024) })),
    );
    const page = await query({});
    expect(page.rows.length).toBeLessThan(8);
    expect(page.cursor).toBeDefined();
    expect(numbers(await everyPage((after) => query(after === undefined ? {} : { after })))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('an index lists by its own keys, shows its projection only, and leaves out rows without those keys', async () => {
    await tables.putAll('deadLetters', [
      { id: 'b', typeLeaf: 'mail#0', failedAt: '2', payload: 'secret', type: 'mail', reason: 'failed' },
      { id: 'a', typeLeaf: 'mail#0', failedAt: '1', payload: 'secret', type: 'mail' },
      { id: 'c', typeLeaf: 'mail#1', failedAt: '1', type: 'mail' },
      { id: 'd', failedAt: '1', type: 'mail' },
    ]);
    const page = await tables.query({ table: 'deadLetters', index: 'byType', partition: 'mail#0', limit: 10 });
    expect(page.rows).toEqual([
      { id: 'a', typeLeaf: 'mail#0', failedAt: '1', type: 'mail' },
      { id: 'b', typeLeaf: 'mail#0', failedAt: '2', type: 'mail', reason: 'failed' },
    ]);
  });

  test('pages of an index follow one another also where many rows have the same sort key', async () => {
    const rows = Array.from({ length: 20 }, (_one, n) => ({
      id: `id-${n}`,
      causeLeaf: 'type#x',
      suspendedAt: n < 15 ? 'same' : 'then',
      n,
    }));
    await tables.putAll('suspended', rows);
    const found = await everyPage((after) =>
      tables.query({ table: 'suspended', index: 'byCause', partition: 'type#x', limit: 4, ...(after === undefined ? {} : { after }) }),
    );
    expect(found.map((row) => String(row['id'])).toSorted()).toEqual(rows.map((row) => row.id).toSorted());
  });

  test('the segments of a scan give every row once, whatever the page', async () => {
    const rows = Array.from({ length: 100 }, (_one, n) => ({ id: `id-${n}`, n }));
    await tables.putAll('jobs', rows);
    const segments = await Promise.all(
      [0, 1, 2, 3].map((segment) =>
        everyPage((after) => tables.scan({ table: 'jobs', segment, segments: 4, limit: 7, ...(after === undefined ? {} : { after }) })),
      ),
    );
    expect(
      segments
        .flat()
        .map((row) => Number(row['n']))
        .toSorted((a, b) => a - b),
    ).toEqual(rows.map((row) => row.n));
  });

  test('a filter thins out a page but not its cost or its cursor', async () => {
    await tables.putAll(
      'jobs',
      Array.from({ length: 30 }, (_one, n) => ({ id: `id-${n}`, n })),
    );
    const scan = { table: 'jobs', segment: 0, segments: 1, limit: 10, filter: atMost('n', -1) } as const;
    const page = await tables.scan(scan);
    expect(page.rows).toEqual([]);
    expect(page.cursor).toBeDefined();
    expect(page.readUnits).toBe(0.5);
    expect((await tables.scan({ ...scan, limit: 100, filter: absent('other') })).rows).toHaveLength(30);
  });

  test('putAll writes any number of rows, the last of several with one key', async () => {
    const rows = Array.from({ length: 130 }, (_one, n) => ({ id: `id-${n}`, n }));
    expect(await tables.putAll('jobs', [...rows, { id: 'id-7', n: 'again' }])).toEqual([]);
    const found = await everyPage((after) =>
      tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 50, ...(after === undefined ? {} : { after }) }),
    );
    expect(found).toHaveLength(130);
    expect(await tables.get('jobs', { id: 'id-7' })).toEqual({ id: 'id-7', n: 'again' });
  });

  test('putAll of nothing does nothing', async () => {
    expect(await tables.putAll('jobs', [])).toEqual([]);
  });

  test.each<[string, () => Promise<unknown>]>([
    [
      'an index read consistently',
      () => tables.query({ table: 'deadLetters', index: 'byType', partition: 'x', limit: 1, consistent: true }),
    ],
    ['an index that is not there', () => tables.query({ table: 'jobs', index: 'byType', partition: 'x', limit: 1 })],
    ['a range that ends before it begins', () => query({ from: 'b', through: 'a' })],
    ['a limit of 0', () => query({ limit: 0 })],
    ['a segment that is not there', () => tables.scan({ table: 'jobs', segment: 4, segments: 4, limit: 1 })],
    ['a row of more than 400 KB among others', () => tables.putAll('jobs', [{ id: 'a' }, { id: 'b', payload: 'x'.repeat(400 * 1024) }])],
  ])('refuses %s', async (_name, attempt) => {
    await expect(attempt()).rejects.toThrow(StoreRefusedError);
  });
});
