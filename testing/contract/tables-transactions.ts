import assert from 'node:assert/strict';
import { StoreRefusedError, StoreUnavailableError } from '../../shared/job/errors.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { absent, equals, present } from './condition-words.ts';
import type { ContractCheck, TablesSubject } from './contract.ts';

const TIMER = { shard: '00', due: '2026-01-01T00:00:00.000Z#a' };
const FIRE: readonly Write[] = [
  { op: 'delete', table: 'timers', key: TIMER, condition: equals('rev', 1) },
  { op: 'put', table: 'jobs', row: { id: 'a', rev: 2 }, condition: absent('id') },
];
const COUNTER = { pk: 'p', sk: 's' };
const count: Write = { op: 'update', table: 'control', key: COUNTER, set: {}, add: { n: 1 } };
const applied = { applied: true, attempts: 1 };

/** A check that begins with one timer, which `FIRE` moves to Jobs. */
const onTimer = (title: string, check: (tables: Tables, subject: TablesSubject) => Promise<void>): ContractCheck<TablesSubject> => ({
  title,
  async check(subject) {
    await subject.tables.write({ op: 'put', table: 'timers', row: { ...TIMER, rev: 1 } });
    await check(subject.tables, subject);
  },
});

/** What transactions promise. */
export const TRANSACTIONS: readonly ContractCheck<TablesSubject>[] = [
  onTimer('all writes of a transaction are applied together', async (tables) => {
    const writes: readonly Write[] = [
      ...FIRE,
      { op: 'update', table: 'control', key: COUNTER, set: { to: 'a' }, add: { n: 1 } },
      { op: 'check', table: 'suspended', key: { id: 'a' }, condition: absent('id') },
    ];
    assert.deepEqual(await tables.transact(writes, 'token'), applied);
    assert.equal(await tables.get('timers', TIMER), undefined);
    assert.deepEqual(await tables.get('jobs', { id: 'a' }), { id: 'a', rev: 2 });
    assert.deepEqual(await tables.get('control', COUNTER), { ...COUNTER, to: 'a', n: 1 });
    assert.equal(await tables.get('suspended', { id: 'a' }), undefined);
  }),

  onTimer('a transaction that fails writes nothing and says why for each write, in order, with the rows it met', async (tables) => {
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', rev: 9 } });
    const outcome = await tables.transact([...FIRE, { op: 'check', table: 'control', key: COUNTER, condition: present('pk') }], 'token');
    assert.deepEqual(outcome, {
      applied: false,
      reasons: [{ code: 'none' }, { code: 'condition', row: { id: 'a', rev: 9 } }, { code: 'condition' }],
      attempts: 1,
    });
    assert.deepEqual(await tables.get('timers', TIMER), { ...TIMER, rev: 1 });
  }),

  onTimer('the same token and writes are applied once, however often they are sent', async (tables) => {
    assert.deepEqual(await tables.transact([...FIRE, count], 'fire/a/1'), applied);
    assert.deepEqual(await tables.transact([...FIRE, count], 'fire/a/1'), applied);
    assert.deepEqual(await tables.get('control', COUNTER), { ...COUNTER, n: 1 });
  }),

  onTimer('another token is another attempt and meets what the first one did', async (tables) => {
    await tables.transact(FIRE, 'one');
    assert.deepEqual(await tables.transact(FIRE, 'two'), {
      applied: false,
      reasons: [{ code: 'condition' }, { code: 'condition', row: { id: 'a', rev: 2 } }],
      attempts: 1,
    });
  }),

  onTimer('a token that was used for other writes is refused', async (tables) => {
    await tables.transact(FIRE, 'token');
    await assert.rejects(async () => tables.transact([{ op: 'put', table: 'jobs', row: { id: 'b' } }], 'token'), StoreRefusedError);
    assert.equal(await tables.get('jobs', { id: 'b' }), undefined);
  }),

  onTimer('a token whose transaction failed is not used up', async (tables) => {
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', rev: 9 } });
    assert.equal((await tables.transact(FIRE, 'token')).applied, false);
    await tables.write({ op: 'delete', table: 'jobs', key: { id: 'a' } });
    assert.deepEqual(await tables.transact(FIRE, 'token'), applied);
  }),

  onTimer('of 16 transactions at the same time for the same rows, one is applied', async (tables) => {
    const outcomes = await Promise.all(Array.from({ length: 16 }, (_, index) => tables.transact(FIRE, `token ${index}`)));
    assert.equal(outcomes.filter((outcome) => outcome.applied).length, 1);
    assert.deepEqual(await tables.get('jobs', { id: 'a' }), { id: 'a', rev: 2 });
  }),

  onTimer('a transaction of 100 writes is taken', async (tables) => {
    const writes = Array.from({ length: 100 }, (_, index): Write => ({ op: 'put', table: 'jobs', row: { id: `job-${index}` } }));
    assert.deepEqual(await tables.transact(writes, 'token'), applied);
    assert.deepEqual(await tables.get('jobs', { id: 'job-99' }), { id: 'job-99' });
  }),

  onTimer('nothing is written after the window of a write has closed', async (tables, subject) => {
    const closed = { notAfter: subject.now() - 1 };
    await assert.rejects(async () => tables.write({ op: 'put', table: 'jobs', row: { id: 'a' } }, closed), StoreUnavailableError);
    await assert.rejects(async () => tables.transact(FIRE, 'token', closed), StoreUnavailableError);
    assert.deepEqual(await tables.putAll('jobs', [{ id: 'b' }], closed), [{ id: 'b' }]);
    assert.deepEqual((await tables.scan({ table: 'jobs', segment: 0, segments: 1, limit: 10 })).rows, []);
    assert.deepEqual(await tables.transact(FIRE, 'token', { notAfter: subject.now() + 60_000 }), applied);
  }),
];
