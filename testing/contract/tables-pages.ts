import assert from 'node:assert/strict';
import type { Page, Query, Row, Tables } from '../../shared/ports/tables.ts';
import { absent, atMost, everyPage } from './condition-words.ts';
import type { ContractCheck, TablesSubject } from './contract.ts';

const timers = (count: number, shard = '00'): Row[] =>
  Array.from({ length: count }, (_, index) => ({ shard, due: `2026-01-01T00:00:${String(index).padStart(2, '0')}.000Z#id`, n: index }));
const jobs = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ id: `id-${n}`, n }));
const numbers = (rows: readonly Row[]): unknown[] => rows.map((row) => row['n']);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
const query = (tables: Tables, asked: Partial<Query> = {}): Promise<Page> =>
  tables.query({ table: 'timers', partition: '00', limit: 100, ...asked });
const inOrder = (rows: readonly Row[]): number[] => rows.map((row) => Number(row['n'])).toSorted((a, b) => a - b);

const pagesFollow = (newestFirst: boolean): ContractCheck<TablesSubject> => ({
  title: `pages follow one another without gap or overlap, ${newestFirst ? 'newest' : 'oldest'} first`,
  async check({ tables }) {
    await tables.putAll('timers', timers(23));
    const rows = await everyPage((after) => query(tables, { limit: 5, newestFirst, ...after }));
    assert.deepEqual(numbers(rows), newestFirst ? upTo(23).toReversed() : upTo(23));
  },
});

/** What queries promise, of tables and of indexes. */
export const QUERIES: readonly ContractCheck<TablesSubject>[] = [
  {
    title: 'a query gives one partition in sort-key order',
    async check({ tables }) {
      await tables.putAll('timers', [...timers(10).toReversed(), ...timers(3, '01')]);
      assert.deepEqual(numbers((await query(tables, { consistent: true })).rows), upTo(10));
      assert.deepEqual((await query(tables, { partition: '02' })).rows, []);
    },
  },
  {
    title: 'from and through are both taken in, and newestFirst turns the order',
    async check({ tables }) {
      await tables.putAll('timers', timers(10));
      const range = { from: '2026-01-01T00:00:03', through: '2026-01-01T00:00:06.000Z#id' };
      assert.deepEqual(numbers((await query(tables, range)).rows), [3, 4, 5, 6]);
      assert.deepEqual(numbers((await query(tables, { ...range, newestFirst: true })).rows), [6, 5, 4, 3]);
      assert.deepEqual(numbers((await query(tables, { from: range.from })).rows), [3, 4, 5, 6, 7, 8, 9]);
      assert.deepEqual(numbers((await query(tables, { through: range.through })).rows), upTo(7));
    },
  },
  pagesFollow(false),
  pagesFollow(true),
  {
    title: 'a cursor stays good when its own row is gone',
    async check({ tables }) {
      await tables.putAll('timers', timers(6));
      const first = await query(tables, { limit: 3 });
      for (const { shard, due } of first.rows) {
        await tables.write({ op: 'delete', table: 'timers', key: { shard: String(shard), due: String(due) } });
      }
      assert.ok(first.cursor !== undefined);
      assert.deepEqual(numbers((await query(tables, { after: first.cursor })).rows), [3, 4, 5]);
    },
  },
  {
    title: 'whether nothing is due costs half a read unit, asked consistently one',
    async check({ tables }) {
      assert.equal((await query(tables, { limit: 1 })).readUnits, 0.5);
      assert.equal((await query(tables, { limit: 1, consistent: true })).readUnits, 1);
    },
  },
  {
    title: 'a consistent scan gives the same rows for twice the read units',
    async check({ tables }) {
      const scan = { table: 'timers', segment: 0, segments: 1, limit: 100 } as const;
      await tables.putAll('timers', timers(3));
      const [one, other] = [await tables.scan(scan), await tables.scan({ ...scan, consistent: true })];
      assert.deepEqual(numbers(other.rows), numbers(one.rows));
      assert.equal(other.readUnits, 2 * one.readUnits);
    },
  },
  {
    title: 'a page ends before it has more than 1 MB or so, with a cursor',
    async check({ tables }) {
      const payload = 'x'.repeat(300 * 1024);
      await tables.putAll(
        'timers',
        timers(8).map((row) => ({ ...row, payload })),
      );
      const page = await query(tables);
      assert.ok(page.rows.length < 8);
      assert.ok(page.cursor !== undefined);
      assert.deepEqual(numbers(await everyPage((after) => query(tables, after))), upTo(8));
    },
  },
  {
    title: 'an index lists by its own keys, shows its projection only, and leaves out rows without those keys',
    async check({ tables }) {
      await tables.putAll('deadLetters', [
        { id: 'b', typeLeaf: 'mail#0', failedAt: '2', payload: 'secret', type: 'mail', reason: 'failed' },
        { id: 'a', typeLeaf: 'mail#0', failedAt: '1', payload: 'secret', type: 'mail' },
        { id: 'c', typeLeaf: 'mail#1', failedAt: '1', type: 'mail' },
        { id: 'd', failedAt: '1', type: 'mail' },
      ]);
      const page = await tables.query({ table: 'deadLetters', index: 'byType', partition: 'mail#0', limit: 10 });
      assert.deepEqual(page.rows, [
        { id: 'a', typeLeaf: 'mail#0', failedAt: '1', type: 'mail' },
        { id: 'b', typeLeaf: 'mail#0', failedAt: '2', type: 'mail', reason: 'failed' },
      ]);
    },
  },
  {
    title: 'pages of an index follow one another also where many rows have the same sort key',
    async check({ tables }) {
      const cause = { causeLeaf: 'type#x' };
      const rows = upTo(20).map((n) => ({ id: `id-${n}`, ...cause, suspendedAt: n < 15 ? 'same' : 'then', n }));
      await tables.putAll('suspended', rows);
      const asked = { table: 'suspended', index: 'byCause', partition: 'type#x', limit: 4 } as const;
      const found = await everyPage((after) => tables.query({ ...asked, ...after }));
      assert.deepEqual(found.map((row) => String(row['id'])).toSorted(), rows.map(({ id }) => id).toSorted());
    },
  },
];

/** What scans and puts in number promise. */
export const SCANS: readonly ContractCheck<TablesSubject>[] = [
  {
    title: 'the segments of a scan return every row once, with any page size',
    async check({ tables }) {
      await tables.putAll('jobs', jobs(100));
      const scan = { table: 'jobs', segments: 4, limit: 7 } as const;
      const segments = await Promise.all(upTo(4).map((segment) => everyPage((after) => tables.scan({ ...scan, segment, ...after }))));
      assert.deepEqual(inOrder(segments.flat()), upTo(100));
    },
  },
  {
    title: 'a filter thins out a page but not its cost or its cursor',
    async check({ tables }) {
      await tables.putAll('jobs', jobs(30));
      const scan = { table: 'jobs', segment: 0, segments: 1, limit: 10, filter: atMost('n', -1) } as const;
      const page = await tables.scan(scan);
      assert.deepEqual(page.rows, []);
      assert.ok(page.cursor !== undefined);
      assert.equal(page.readUnits, 0.5);
      assert.equal((await tables.scan({ ...scan, limit: 100, filter: absent('other') })).rows.length, 30);
    },
  },
  {
    title: 'putAll writes any number of rows, the last of several with one key',
    async check({ tables }) {
      assert.deepEqual(await tables.putAll('jobs', [...jobs(130), { id: 'id-7', n: 'again' }]), []);
      const found = await everyPage((after) => tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 50, ...after }));
      assert.equal(found.length, 130);
      assert.deepEqual(await tables.get('jobs', { id: 'id-7' }), { id: 'id-7', n: 'again' });
    },
  },
  {
    title: 'putAll after its window has closed gives back each row that would have been written, once',
    async check({ tables, now }) {
      const rows = [{ id: 'a', n: 1 }, { id: 'b' }, { id: 'a', n: 2 }];
      assert.deepEqual(await tables.putAll('jobs', rows, { notAfter: now() - 1 }), [{ id: 'a', n: 2 }, { id: 'b' }]);
    },
  },
  {
    title: 'putAll gives back the rows of a batch that was refused if another batch was written',
    async check({ tables }) {
      const refused = { id: 'id-26', payload: 'x'.repeat(401 * 1024) };
      assert.deepEqual(await tables.putAll('jobs', [...jobs(25), refused, { id: 'id-27' }]), [refused, { id: 'id-27' }]);
      const { rows } = await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 50 });
      assert.equal(rows.length, 25);
    },
  },
  {
    title: 'putAll of nothing does nothing',
    async check({ tables }) {
      assert.deepEqual(await tables.putAll('jobs', []), []);
    },
  },
];
