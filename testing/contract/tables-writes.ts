import assert from 'node:assert/strict';
import { defined } from '../../shared/job/defined.ts';
import type { Condition, Row, Tables, WriteOutcome } from '../../shared/ports/tables.ts';
import { absent, atMost, beginsWith, equals, present } from './condition-words.ts';
import type { ContractCheck, TablesSubject } from './contract.ts';

const put = (tables: Tables, row: Row, condition?: Condition): Promise<WriteOutcome> =>
  tables.write({ op: 'put', table: 'jobs', row, ...defined({ condition }) });

/** What single writes promise, one after another. */
export const SINGLE_WRITES: readonly ContractCheck<TablesSubject>[] = [
  {
    title: 'a row comes back as it was put',
    async check({ tables }) {
      const row = { id: 'a', text: 'Mueller & Söhne 🚚', empty: '', count: -1.5, big: Number.MAX_SAFE_INTEGER, yes: true, no: false };
      assert.deepEqual(await put(tables, row), { applied: true, attempts: 1 });
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), row);
      assert.equal(await tables.get('jobs', { id: 'b' }), undefined);
    },
  },
  {
    title: 'a put replaces the whole row',
    async check({ tables }) {
      await put(tables, { id: 'a', old: 1 });
      await put(tables, { id: 'a', fresh: 2 });
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), { id: 'a', fresh: 2 });
    },
  },
  {
    title: '30 rows that are put at the same time within a window are all there, and of two puts of one row one is',
    async check({ tables, now }) {
      const rows: Row[] = Array.from({ length: 30 }, (_, n) => ({ id: `id-${n}`, n }));
      const again = { id: 'id-7', n: 'again' };
      const window = { notAfter: now() + 60_000 };
      const puts = [...rows, again].map((row) => tables.write({ op: 'put', table: 'jobs', row }, window));
      for (const outcome of await Promise.all(puts)) assert.deepEqual(outcome, { applied: true, attempts: 1 });
      for (const row of rows.filter(({ id }) => id !== 'id-7')) assert.deepEqual(await tables.get('jobs', { id: String(row['id']) }), row);
      const either = await tables.get('jobs', { id: 'id-7' });
      assert.ok([7, 'again'].includes(either?.['n'] as number | string));
    },
  },
  {
    title: 'a put after its window has closed is not made, and its neighbours are',
    async check({ tables, now }) {
      const put = (id: string, ms: number): Promise<WriteOutcome> =>
        tables.write({ op: 'put', table: 'jobs', row: { id } }, { notAfter: now() + ms });
      const [late, timely] = await Promise.allSettled([put('a', -1), put('b', 60_000)]);
      assert.equal(late.status, 'rejected');
      assert.equal(timely.status, 'fulfilled');
      assert.equal(await tables.get('jobs', { id: 'a' }), undefined);
    },
  },
  {
    title: 'a failed condition writes nothing and shows the row that it met',
    async check({ tables }) {
      await put(tables, { id: 'a', rev: 1 });
      const met = { applied: false, row: { id: 'a', rev: 1 }, attempts: 1 };
      assert.deepEqual(await put(tables, { id: 'a', rev: 2 }, absent('id')), met);
      assert.deepEqual(await put(tables, { id: 'b' }, equals('rev', 1)), { applied: false, attempts: 1 });
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), { id: 'a', rev: 1 });
      assert.equal(await tables.get('jobs', { id: 'b' }), undefined);
    },
  },
  {
    title: 'an update sets, removes and adds at once and shows the new row',
    async check({ tables }) {
      await put(tables, { id: 'a', owner: 'queue/0/x', gone: 1, rev: 3 });
      const outcome = await tables.write({
        op: 'update',
        table: 'jobs',
        key: { id: 'a' },
        set: { owner: 'run/y' },
        remove: ['gone', 'never'],
        add: { rev: 1, starts: 1 },
        condition: beginsWith('owner', 'queue/'),
      });
      const row = { id: 'a', owner: 'run/y', rev: 4, starts: 1 };
      assert.deepEqual(outcome, { applied: true, row, attempts: 1 });
      assert.deepEqual(await tables.get('jobs', { id: 'a' }), row);
    },
  },
  {
    title: 'an update of a row that is not there makes it, unless its condition forbids that',
    async check({ tables }) {
      const update = { op: 'update', table: 'control', key: { pk: 'counter', sk: '0' }, set: {}, add: { n: 2 } } as const;
      assert.deepEqual(await tables.write({ ...update, condition: present('pk') }), { applied: false, attempts: 1 });
      assert.deepEqual(await tables.write(update), { applied: true, row: { pk: 'counter', sk: '0', n: 2 }, attempts: 1 });
    },
  },
  {
    title: 'a failed update shows the row, a failed delete too',
    async check({ tables }) {
      const row = { id: 'a', owner: 'run/other' };
      await put(tables, row);
      const condition = equals('owner', 'run/me');
      const key = { id: 'a' };
      const met = { applied: false, row, attempts: 1 };
      assert.deepEqual(await tables.write({ op: 'update', table: 'jobs', key, set: { x: 1 }, condition }), met);
      assert.deepEqual(await tables.write({ op: 'delete', table: 'jobs', key, condition }), met);
      assert.deepEqual(await tables.get('jobs', key), row);
    },
  },
  {
    title: 'a delete shows the row that it took; without a condition, deleting nothing is applied',
    async check({ tables }) {
      await put(tables, { id: 'a', n: 1 });
      const deletion = { op: 'delete', table: 'jobs', key: { id: 'a' } } as const;
      const condition = equals('n', 1);
      assert.deepEqual(await tables.write({ ...deletion, condition }), { applied: true, row: { id: 'a', n: 1 }, attempts: 1 });
      assert.deepEqual(await tables.write({ ...deletion, condition }), { applied: false, attempts: 1 });
      assert.deepEqual(await tables.write(deletion), { applied: true, attempts: 1 });
    },
  },
  {
    title: 'a quiet delete does not show the row that it took, but the one that made its condition fail',
    async check({ tables }) {
      await put(tables, { id: 'a', n: 1 });
      const deletion = { op: 'delete', table: 'jobs', key: { id: 'a' }, quiet: true } as const;
      const met = { applied: false, row: { id: 'a', n: 1 }, attempts: 1 };
      assert.deepEqual(await tables.write({ ...deletion, condition: equals('n', 2) }), met);
      assert.deepEqual(await tables.write({ ...deletion, condition: equals('n', 1) }), { applied: true, attempts: 1 });
      assert.equal(await tables.get('jobs', { id: 'a' }), undefined);
    },
  },
  {
    title: 'texts compare by their bytes, so that a character beyond U+FFFF comes last',
    async check({ tables }) {
      await put(tables, { id: 'a', text: '\u{1F69A}' });
      assert.equal((await put(tables, { id: 'a', text: 'x' }, atMost('text', '\uFFFD'))).applied, false);
      assert.equal((await put(tables, { id: 'a', text: 'x' }, atMost('text', '\u{1F69B}'))).applied, true);
    },
  },
  {
    title: 'a row of 390 KB is taken',
    async check({ tables }) {
      assert.equal((await put(tables, { id: 'a', payload: 'x'.repeat(390 * 1024) })).applied, true);
    },
  },
  {
    title: 'hostile attribute names and values are only data',
    async check({ tables }) {
      const row = JSON.parse('{"id":"constructor","__proto__":"own","toString":"text","shard":"reserved","hasOwnProperty":1}') as Row;
      await put(tables, row);
      const found = await tables.get('jobs', { id: 'constructor' });
      // Whether an attribute of that name survives depends on the SDK; it must not become anything else.
      const { ['__proto__']: _own, ...others } = found ?? {};
      assert.deepEqual(others, { id: 'constructor', toString: 'text', shard: 'reserved', hasOwnProperty: 1 });
      assert.equal(Object.getPrototypeOf(found), Object.prototype);
      assert.equal((await put(tables, { id: 'constructor' }, absent('valueOf'))).applied, true);
    },
  },
];

const RACERS = 64;

/** What single writes promise when many are made at once. */
export const CONCURRENT_WRITES: readonly ContractCheck<TablesSubject>[] = [
  {
    title: 'of 64 updates at the same time that may each be the only one, one is applied and the others see it',
    async check({ tables }) {
      await put(tables, { id: 'a', owner: 'queue/0/t', starts: 0 });
      const update = {
        op: 'update',
        table: 'jobs',
        key: { id: 'a' },
        add: { starts: 1 },
        condition: beginsWith('owner', 'queue/'),
      } as const;
      const outcomes = await Promise.all(
        Array.from({ length: RACERS }, (_, index) => tables.write({ ...update, set: { owner: `run/${index}` } })),
      );
      const winner = outcomes.findIndex((outcome) => outcome.applied);
      assert.equal(outcomes.filter((outcome) => outcome.applied).length, 1);
      for (const { row } of outcomes) assert.deepEqual(row, { id: 'a', owner: `run/${winner}`, starts: 1 });
    },
  },
  {
    title: '64 additions at the same time all count',
    async check({ tables }) {
      const update = { op: 'update', table: 'control', key: { pk: 'c', sk: 'c' }, set: {}, add: { n: 1 } } as const;
      await Promise.all(Array.from({ length: RACERS }, () => tables.write(update)));
      assert.deepEqual(await tables.get('control', { pk: 'c', sk: 'c' }), { pk: 'c', sk: 'c', n: RACERS });
    },
  },
];
