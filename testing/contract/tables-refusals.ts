import assert from 'node:assert/strict';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { all } from './condition-words.ts';
import type { ContractCheck, TablesSubject } from './contract.ts';

const TOO_MUCH = 'x'.repeat(400 * 1024);
const update = { op: 'update', table: 'jobs', key: { id: 'a' }, set: {} } as const;
const jobs = (count: number, payload = ''): readonly Write[] =>
  Array.from({ length: count }, (_, index): Write => ({ op: 'put', table: 'jobs', row: { id: `job-${index}`, payload } }));

/** Invalid requests, and the rows that must exist before them. */
const REFUSED: readonly (readonly [what: string, attempt: (tables: Tables) => Promise<unknown>])[] = [
  ['a row of more than 400 KB', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: 'a', payload: TOO_MUCH } })],
  ['a row without its key', (tables) => tables.write({ op: 'put', table: 'jobs', row: { other: 'a' } })],
  ['a key that is empty', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: '' } })],
  ['a key of more than 2048 bytes', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: 'x'.repeat(2049) } })],
  ['a key with an attribute too many', (tables) => tables.get('jobs', { id: 'a', other: 'b' })],
  ['an update of the key', (tables) => tables.write({ ...update, set: { id: 'b' } })],
  ['one attribute changed twice', (tables) => tables.write({ ...update, set: { n: 1 }, add: { n: 1 } })],
  ['a number that is none', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: Number.NaN } })],
  [
    'an index key that is not a string',
    (tables) => tables.write({ op: 'put', table: 'deadLetters', row: { id: 'a', typeLeaf: 1, failedAt: 'x' } }),
  ],
  ['a number beyond what DynamoDB holds', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 1e126 } })],
  [
    'a condition that begins with a number',
    (tables) => tables.write({ ...update, condition: { test: 'beginsWith', attribute: 'n', value: 1 } }),
  ],
  [
    'a condition that a boolean is at most',
    (tables) => tables.write({ ...update, condition: { test: 'atMost', attribute: 'n', value: true } }),
  ],
  ['a condition without conditions', (tables) => tables.write({ op: 'put', table: 'jobs', row: { id: 'a' }, condition: all() })],
  [
    'an index read consistently',
    (tables) => tables.query({ table: 'deadLetters', index: 'byType', partition: 'x', limit: 1, consistent: true }),
  ],
  ['an index that is not there', (tables) => tables.query({ table: 'jobs', index: 'byType', partition: 'x', limit: 1 })],
  ['a range that ends before it begins', (tables) => tables.query({ table: 'timers', partition: '00', limit: 1, from: 'b', through: 'a' })],
  ['a range that begins with an empty string', (tables) => tables.query({ table: 'timers', partition: '00', limit: 1, from: '' })],
  ['a range where there is no sort key', (tables) => tables.query({ table: 'jobs', partition: 'a', limit: 1, through: 'b' })],
  ['a page of one row and a half', (tables) => tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 1.5 })],
  ['a page of no rows', (tables) => tables.query({ table: 'timers', partition: '00', limit: 0 })],
  ['a segment that is not there', (tables) => tables.scan({ table: 'jobs', segment: 4, segments: 4, limit: 1 })],
  ['a row of more than 400 KB among others', (tables) => tables.putAll('jobs', [{ id: 'a' }, { id: 'b', payload: TOO_MUCH }])],
  ['a transaction without writes', (tables) => tables.transact([], 'token')],
  ['a transaction of 101 writes', (tables) => tables.transact(jobs(101), 'token')],
  [
    'a transaction with two writes of the same row',
    (tables) => tables.transact([...jobs(1), { op: 'delete', table: 'jobs', key: { id: 'job-0' } }], 'token'),
  ],
  [
    'a transaction with a row of more than 400 KB',
    (tables) => tables.transact([...jobs(2), { op: 'put', table: 'jobs', row: { id: 'a', payload: TOO_MUCH } }], 'token'),
  ],
  ['a transaction of more than 4 MB', (tables) => tables.transact(jobs(13, TOO_MUCH.slice(0, 350 * 1024)), 'token')],
  ['a transaction with an update that changes nothing', (tables) => tables.transact([update], 'token')],
  ['a transaction that removes a key', (tables) => tables.transact([...jobs(1), { ...update, remove: ['id'] }], 'token')],
  [
    'a transaction that changes one attribute twice',
    (tables) => tables.transact([...jobs(1), { ...update, set: { n: 1 }, remove: ['n'] }], 'token'),
  ],
  [
    'a transaction with a check of nothing',
    (tables) => tables.transact([...jobs(1), { op: 'check', table: 'jobs', key: { id: 'a' } }], 'token'),
  ],
];

/** What the store refuses with StoreRefusedError, and that nothing of it is written. */
export const REFUSALS: readonly ContractCheck<TablesSubject>[] = [
  ...REFUSED.map(([what, attempt]) => ({
    title: `refuses ${what} and writes nothing of it`,
    async check({ tables }: TablesSubject) {
      await assert.rejects(async () => attempt(tables), StoreRefusedError);
      const left = await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 10 });
      assert.deepEqual(left.rows, []);
    },
  })),
  {
    title: 'refuses an update that makes a row of more than 400 KB and leaves the row as it was',
    async check({ tables }) {
      const row = { id: 'a', one: TOO_MUCH.slice(0, 300 * 1024) };
      await tables.write({ op: 'put', table: 'jobs', row });
      await assert.rejects(async () => tables.write({ ...update, set: { two: row.one } }), StoreRefusedError);
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), row);
    },
  },
  {
    title: 'refuses a put that no store can hold also where its condition fails',
    async check({ tables }) {
      const never = { test: 'present', attribute: 'other' } as const;
      await assert.rejects(
        async () => tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: Number.NaN }, condition: never }),
        StoreRefusedError,
      );
      assert.equal(await tables.get('jobs', { id: 'a' }), undefined);
    },
  },
  {
    title: 'refuses to add to a text',
    async check({ tables }) {
      await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 'text' } });
      await assert.rejects(async () => tables.write({ ...update, add: { n: 1 } }), StoreRefusedError);
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), { id: 'a', n: 'text' });
    },
  },
];
