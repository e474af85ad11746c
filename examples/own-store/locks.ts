import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { StoreUnavailableError, type WriteWindow } from '../../shared/adapters/own/index.ts';

/** The number of a lock: PostgreSQL has no others. */
export const lockOf = (parts: readonly string[]): bigint => createHash('sha256').update(JSON.stringify(parts)).digest().readBigInt64BE();

/**
 * Takes locks until the transaction ends: in one order, so that no two wait for each other. Then the window must still be open by the server's
 * clock: a request may have waited anywhere on its way.
 */
export async function takeLocks(client: PoolClient, locks: readonly bigint[], { notAfter }: WriteWindow = {}): Promise<void> {
  const ordered = locks.toSorted((a, b) => (a < b ? -1 : 1)).map(String);
  const { rows } = await client.query<{ late: boolean | null }>(
    `SELECT pg_advisory_xact_lock(key), clock_timestamp() > to_timestamp($2::float8 / 1000) AS late FROM unnest($1::bigint[]) AS key`,
    [ordered, notAfter ?? null],
  );
  if (rows.at(-1)?.late === true) throw new StoreUnavailableError('write', new Error('the write window is closed'));
}

/** Runs `work` in a transaction and commits it if it was applied. A connection on which it failed is not used again. */
export async function inTransaction<Answer extends { readonly applied: boolean }>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Answer>,
): Promise<Answer> {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN');
    const answer = await work(client);
    await client.query(answer.applied ? 'COMMIT' : 'ROLLBACK');
    broken = false;
    return answer;
  } finally {
    client.release(broken);
  }
}
