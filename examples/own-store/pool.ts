import { Pool } from 'pg';

/** Connections of one process. No call outlasts a few seconds: leases depend on a store that answers or fails. */
export function createPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: 20,
    connectionTimeoutMillis: 3_000,
    statement_timeout: 3_000,
    query_timeout: 4_000,
    idle_in_transaction_session_timeout: 5_000,
  });
  // A connection that breaks fails the call that uses it, if any; the pool opens another one.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}
