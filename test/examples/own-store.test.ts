import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Postgres, startPostgres } from '../../bench/peers/stores/postgres.ts';
import { environment, packOrder, placeOrder, postgresPorts } from '../../examples/own-store/jobs.ts';
import { runMachine } from '../../examples/own-store/machine.ts';
import { createPool } from '../../examples/own-store/pool.ts';
import { createPostgresHints } from '../../examples/own-store/postgres-hints.ts';
import { createPostgresTables } from '../../examples/own-store/postgres-tables.ts';
import { createSchema, deleteExpired } from '../../examples/own-store/schema.ts';
import { createAdmin } from '../../operate/index.ts';
import { createJobClient, StoreRefusedError, StoreUnavailableError } from '../../shared/index.ts';
import { type HintsSubject, hintsContract, sourceContract, type SourceSubject, tablesContract } from '../../testing/index.ts';
import { WAIT } from '../support/patience.ts';

let server: Postgres;
let pool: Pool;

beforeAll(async () => {
  // Says what to install where there is none.
  server = await startPostgres();
  pool = createPool(server.url);
  // Those of a deployment start at the same time.
  await Promise.all([createSchema(pool), createSchema(pool)]);
  await pool.query('CREATE TABLE orders (id text PRIMARY KEY, packed int NOT NULL DEFAULT 0)');
});

afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

beforeEach(async () => {
  const { rows } = await pool.query<{ name: string }>(`SELECT tablename AS name FROM pg_tables WHERE tablename ~ '^(nightcrew|orders)'`);
  await pool.query(rows.map(({ name }) => `DELETE FROM ${name}`).join(';'));
});

describe('the tables in PostgreSQL', () => {
  test.each(tablesContract)('$title', async ({ check }) => check({ tables: createPostgresTables(pool), now: () => Date.now() }));

  test('of 64 deletes at the same time one shows the row, and the others meet none', async () => {
    const tables = createPostgresTables(pool);
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 1 } });
    const condition = { test: 'equals', attribute: 'n', value: 1 } as const;
    const deletion = { op: 'delete', table: 'jobs', key: { id: 'a' }, condition } as const;
    const outcomes = await Promise.all(Array.from({ length: 64 }, async () => tables.write(deletion)));
    expect(outcomes.filter(({ applied }) => applied)).toEqual([{ applied: true, row: { id: 'a', n: 1 }, attempts: 1 }]);
    expect(outcomes.filter(({ applied }) => !applied)).toEqual(Array.from({ length: 63 }, () => ({ applied: false, attempts: 1 })));
  });

  test('of two transactions that each check what the other writes, one is applied', async () => {
    const tables = createPostgresTables(pool);
    for (let round = 0; round < 20; round += 1) {
      const id = `job-${round}`;
      const absent = { test: 'absent', attribute: 'id' } as const;
      const into = (table: 'jobs' | 'suspended', other: 'jobs' | 'suspended'): ReturnType<typeof tables.transact> =>
        tables.transact(
          [
            { op: 'put', table, row: { id } },
            { op: 'check', table: other, key: { id }, condition: absent },
          ],
          `${table}/${id}`,
        );
      const outcomes = await Promise.all([into('jobs', 'suspended'), into('suspended', 'jobs')]);
      expect(outcomes.filter(({ applied }) => applied)).toHaveLength(1);
    }
  });

  test('the same transaction twice at the same time is applied once, and both say so', async () => {
    const tables = createPostgresTables(pool);
    const count = { op: 'update', table: 'control', key: { pk: 'p', sk: 's' }, set: {}, add: { n: 1 } } as const;
    const outcomes = await Promise.all(Array.from({ length: 8 }, async () => tables.transact([count], 'token')));
    expect(outcomes).toEqual(Array.from({ length: 8 }, () => ({ applied: true, attempts: 1 })));
    expect(await tables.get('control', { pk: 'p', sk: 's' })).toMatchObject({ n: 1 });
  });

  test('statements of a user are applied with the writes or not at all, and their reasons follow', async () => {
    const tables = createPostgresTables(pool);
    const put = (id: string) => [{ op: 'put', table: 'jobs', row: { id } }] as const;
    const order = { text: 'INSERT INTO orders (id) VALUES ($1)', values: ['o'] };
    expect(await tables.transact(put('a'), 'one', { beside: [order] })).toMatchObject({ applied: true });
    const refused = { applied: false, reasons: [{ code: 'none' }, { code: 'condition' }], attempts: 1 };
    expect(await tables.transact(put('b'), 'two', { beside: [order] })).toEqual(refused);
    const nothing = { text: 'UPDATE orders SET packed = 1 WHERE id = $1', values: ['unknown'] };
    expect(await tables.transact(put('b'), 'three', { beside: [nothing] })).toEqual(refused);
    expect(await tables.get('jobs', { id: 'b' })).toBeUndefined();
  });

  test('the first statement of a user that is refused ends the transaction, and those after it are not run', async () => {
    const tables = createPostgresTables(pool);
    const order = (id: string) => ({ text: 'INSERT INTO orders (id) VALUES ($1)', values: [id] });
    await pool.query(`INSERT INTO orders (id) VALUES ('o')`);
    const put = { op: 'put', table: 'jobs', row: { id: 'a' } } as const;
    const reasons = ['none', 'none', 'condition', 'none'].map((code) => ({ code }));
    expect(await tables.transact([put], 't', { beside: [order('n'), order('o'), order('p')] })).toMatchObject({ applied: false, reasons });
    expect((await pool.query('SELECT id FROM orders')).rows).toEqual([{ id: 'o' }]);
    expect(await tables.get('jobs', { id: 'a' })).toBeUndefined();
  });

  test('what PostgreSQL cannot hold is refused, and what it did not answer is unavailable', async () => {
    const tables = createPostgresTables(pool);
    const zero = tables.write({ op: 'put', table: 'jobs', row: { id: 'a', text: 'a\0b' } });
    await expect(zero).rejects.toThrow(StoreRefusedError);
    const nowhere = createPool('postgres://bench@127.0.0.1:1/postgres');
    await expect(createPostgresTables(nowhere).get('jobs', { id: 'a' })).rejects.toThrow(StoreUnavailableError);
    await nowhere.end();
  });

  test('a call that waits for a lock ends, and nothing is written after that', async () => {
    const tables = createPostgresTables(pool);
    await tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 1 } });
    const other = await pool.connect();
    await other.query(`BEGIN; SELECT FROM nightcrew_jobs WHERE pk = 'a' FOR UPDATE`);
    await expect(tables.write({ op: 'put', table: 'jobs', row: { id: 'a', n: 2 } })).rejects.toThrow(StoreUnavailableError);
    await other.query('COMMIT');
    other.release();
    expect(await tables.get('jobs', { id: 'a' })).toEqual({ id: 'a', n: 1 });
  });

  test('a connection that is cut within a transaction leaves nothing behind, and the next call has another one', async () => {
    const tables = createPostgresTables(pool);
    const put = (id: string) => ({ op: 'put', table: 'jobs', row: { id } }) as const;
    await tables.write(put('held'));
    const other = await pool.connect();
    await other.query(`BEGIN; SELECT FROM nightcrew_jobs WHERE pk = 'held' FOR UPDATE`);
    const transaction = tables.transact([put('held'), put('a'), put('b')], 'token');
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'`;
    const [outcome] = await Promise.allSettled([
      transaction,
      vi.waitFor(async () => expect((await pool.query(cut)).rowCount).toBeGreaterThan(0), WAIT),
    ]);
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) as unknown });
    await other.query('COMMIT');
    other.release();
    expect(await tables.get('jobs', { id: 'a' })).toBeUndefined();
    expect(await tables.transact([put('a'), put('b')], 'token')).toEqual({ applied: true, attempts: 1 });
  });

  test('expired rows and tokens are deleted, others stay', async () => {
    const tables = createPostgresTables(pool);
    const row = (sk: string, expiresAt: number) => ({ pk: 'p', sk, expiresAt });
    const now = Math.floor(Date.now() / 1_000);
    await tables.putAll('control', [row('old', now - 60), row('new', now + 60), { pk: 'p', sk: 'kept' }]);
    await tables.transact([{ op: 'put', table: 'jobs', row: { id: 'a' } }], 'token');
    await deleteExpired(pool);
    const { rows } = await tables.query({ table: 'control', partition: 'p', limit: 10 });
    expect(rows.map(({ sk }) => sk)).toEqual(['kept', 'new']);
    expect((await pool.query('SELECT token FROM nightcrew_tokens')).rows).toEqual([{ token: 'token' }]);
  });
});

/** The queues that the contract asks for. */
const WORKERS = {
  w: { lanes: { high: {}, normal: {} }, from: { high: 10 }, fifo: true },
  plain: { lanes: { normal: {} } },
};

function openHints(): SourceSubject {
  const hints = createPostgresHints(pool, WORKERS);
  const dead = 'SELECT body, reason FROM nightcrew_messages WHERE queue = $1';
  const receive: HintsSubject['receive'] = async (queue) => hints.receive(queue, { max: 10, waitMs: 0 });
  return {
    hints,
    source: hints,
    receive,
    acknowledge: async (message) => hints.acknowledge(message),
    pass: async (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    rejected: async (kind) => (await pool.query<{ body: string; reason: string }>(dead, [`dead/${kind}/w`])).rows,
  };
}

describe('the queues in PostgreSQL', () => {
  test.each([...hintsContract, ...sourceContract])('$title', async ({ check }) => check(openHints()));

  test('a message goes to one of eight who ask at the same time', async () => {
    const { hints, source } = openHints();
    const queue = { worker: 'plain', lane: 'normal', kind: 'standard' } as const;
    const sent = Array.from({ length: 40 }, (_, n) => ({
      id: `00000000-0000-7000-8000-0000000000${10 + n}`,
      n,
      ...queue,
      delayMs: 0,
      alone: false,
    }));
    expect(await hints.send(sent as never)).toEqual([]);
    const received = await Promise.all(Array.from({ length: 8 }, async () => source.receive(queue, { max: 10, waitMs: 0 })));
    const ids = received.flat().map(({ messageId }) => messageId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a sender that reaches no queue gets its hints back', async () => {
    const nowhere = createPool('postgres://bench@127.0.0.1:1/postgres');
    const hint = { id: 'x', n: 1, worker: 'w', lane: 'normal', delayMs: 0, alone: false } as never;
    expect(await createPostgresHints(nowhere, WORKERS).send([hint])).toEqual([hint]);
    await nowhere.end();
  });
});

describe('a deployment on PostgreSQL', () => {
  test('packs an order that was placed together with its job, retries, and fires timers', async () => {
    for (const name of Object.keys(process.env).filter((one) => one.startsWith('AWS_'))) vi.stubEnv(name, undefined);
    const off = new AbortController();
    const machine = runMachine(pool, off.signal, 1_000);
    try {
      const id = await placeOrder(pool, 'o1');
      const options = { environment, ports: postgresPorts(pool) };
      const [jobs, admin] = [createJobClient(options), createAdmin(options)];
      const finished = { state: 'finished', outcome: 'completed' };
      await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject(finished), WAIT);
      await expect(placeOrder(pool, 'o1')).rejects.toThrow(/duplicate key/);
      // Its order is not there until the first attempt has failed.
      const early = await jobs.enqueue(packOrder, { orderId: 'o2' });
      await vi.waitFor(async () => expect((await jobs.get(early.id))?.error).toMatchObject({ name: 'ItemsRefusedError' }), WAIT);
      await pool.query(`INSERT INTO orders (id) VALUES ('o2')`);
      await vi.waitFor(async () => expect(await jobs.get(early.id)).toMatchObject(finished), WAIT);
      const timer = await jobs.enqueue(packOrder, { orderId: 'o1' }, { delay: 'P1D' });
      expect((await admin.list({ state: 'waiting' })).jobs).toMatchObject([{ id: timer.id }]);
      await admin.setDueDate(timer.id, { delay: 0 });
      await vi.waitFor(async () => expect(await jobs.get(timer.id)).toMatchObject(finished), WAIT);
      expect((await pool.query('SELECT id, packed FROM orders ORDER BY id')).rows).toEqual([
        { id: 'o1', packed: 2 },
        { id: 'o2', packed: 1 },
      ]);
    } finally {
      off.abort();
      await machine;
      vi.unstubAllEnvs();
    }
  });
});
