import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Postgres, startPostgres } from '../../bench/peers/stores/postgres.ts';
import { createPool } from '../../examples/own-store/pool.ts';
import { createPostgresHints } from '../../examples/own-store/postgres-hints.ts';
import { createPostgresTables } from '../../examples/own-store/postgres-tables.ts';
import { createSchema } from '../../examples/own-store/schema.ts';
import { transactIn } from '../../examples/own-store/transaction.ts';
import { encodeHint } from '../../shared/adapters/own/index.ts';
import { StoreUnavailableError } from '../../shared/index.ts';

const WORKERS = { w: { lanes: { normal: {} }, fifo: true } };

let server: Postgres;
let pool: Pool;

beforeAll(async () => {
  server = await startPostgres();
  pool = createPool(server.url);
  await createSchema(pool);
});

afterAll(async () => {
  await pool?.end();
  await server?.stop();
});

beforeEach(async () => {
  await pool.query('DELETE FROM nightcrew_jobs; DELETE FROM nightcrew_suspended; DELETE FROM nightcrew_tokens');
});

describe('while a transaction has checked that a row is not there', () => {
  const row = { id: 'a', n: 2 };
  const writes = {
    write: async (notAfter) => createPostgresTables(pool).write({ op: 'put', table: 'jobs', row }, { notAfter }),
    putAll: async (notAfter) => createPostgresTables(pool).putAll('jobs', [row], { notAfter }),
  } satisfies Readonly<Record<string, (notAfter: number) => Promise<unknown>>>;

  async function checked(during: (other: PoolClient) => Promise<void>): Promise<void> {
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      const absent = { op: 'check', table: 'jobs', key: { id: 'a' }, condition: { test: 'absent', attribute: 'id' } } as const;
      expect(await transactIn(other, [absent, { op: 'put', table: 'suspended', row: { id: 'a' } }], 'token')).toMatchObject({
        applied: true,
      });
      await during(other);
    } finally {
      other.release();
    }
  }

  test.each(Object.entries(writes))('%s of that row waits for its commit', async (_, write) => {
    await checked(async (other) => {
      const written = write(Date.now() + 60_000).then(() => 'written');
      expect(await Promise.race([written, sleep(300, 'waits')])).toBe('waits');
      await other.query('COMMIT');
      expect(await written).toBe('written');
    });
    expect(await createPostgresTables(pool).get('jobs', { id: 'a' })).toEqual(row);
  });

  test.each(Object.entries(writes))('%s of that row writes nothing if its window closes meanwhile', async (_, write) => {
    await checked(async (other) => {
      const written = Promise.allSettled([write(Date.now() + 200)]);
      await sleep(400);
      await other.query('COMMIT');
      const [outcome] = await written;
      // The rows that were not written are the answer of putAll.
      expect([
        { status: 'rejected', reason: expect.any(StoreUnavailableError) as unknown },
        { status: 'fulfilled', value: [row] },
      ]).toContainEqual(outcome);
    });
    expect(await createPostgresTables(pool).get('jobs', { id: 'a' })).toBeUndefined();
  });
});

test('a message of a group is sent after the commit of the one that was sent before', async () => {
  const hint = (n: number) => ({ id: 'x', n, worker: 'w', lane: 'normal', groupHash: 'a'.repeat(16), delayMs: 0, alone: false }) as never;
  let commit = (): void => {};
  const held = new Promise<void>((resolve) => void (commit = resolve));
  // Whose commits take long.
  const slow = {
    connect: async () => {
      const client = await pool.connect();
      const query = async (text: string, values: unknown[]): Promise<unknown> => {
        if (text === 'COMMIT') await held;
        return client.query(text, values);
      };
      return { query, release: () => client.release() };
    },
  };
  const first = createPostgresHints(slow as never, WORKERS).send([hint(1)]);
  await sleep(100);
  const hints = createPostgresHints(pool, WORKERS);
  const second = hints.send([hint(2)]);
  const early = await Promise.race([second, sleep(300, 'waits')]);
  commit();
  expect(early).toBe('waits');
  expect(await Promise.all([first, second])).toEqual([[], []]);
  const queue = { worker: 'w', lane: 'normal', kind: 'fifo' } as const;
  expect(await hints.receive(queue, { max: 10, waitMs: 0 })).toMatchObject([{ body: encodeHint(hint(1), false) }]);
});
