import type { Pool, PoolClient } from 'pg';
import {
  batchesOf,
  checkExactKey,
  checkTransaction,
  checkTransactionBytes,
  checkWrite,
  keyOf,
  refusalOfRows,
  type Row,
  StoreRefusedError,
  TABLE_SPECS,
  type TableName,
  type Tables,
  type TransactOutcome,
  type WriteWindow,
} from '../../shared/adapters/own/index.ts';
import { queryPage, scanPage } from './pages.ts';
import { keyParts, tableName } from './sql-parts.ts';
import { inTransaction, takeLocks } from './locks.ts';
import { answered, type Written, writeRow } from './statements.ts';
import { lockOfWrite, transactIn } from './transaction.ts';

/**
 * The tables in PostgreSQL, as `createSchema` made them. The pool must have a `statement_timeout` of a few seconds: nothing else
 * ends a call that waits for a lock.
 */
export function createPostgresTables(pool: Pool): Tables {
  return {
    async get(table, key) {
      checkExactKey('get', TABLE_SPECS[table], key);
      const text = `SELECT item FROM ${tableName(table)} WHERE pk = $1 AND sk = $2`;
      const { rows } = await answered('get', async () => pool.query<{ item: Row }>(text, [...keyParts(table, key)]));
      return rows[0]?.item;
    },

    async write(write, window = {}) {
      checkWrite(write);
      const work = async (client: PoolClient): Promise<Written> => {
        await takeLocks(client, [lockOfWrite(write)], window);
        return writeRow(client, write);
      };
      const { applied, row } = await answered('write', async () => inTransaction(pool, work));
      // An old row is shown by a delete that is not quiet, and a row that was met always.
      const hidden = applied && write.op === 'delete' && write.quiet === true;
      return { applied, ...(row === undefined || hidden ? {} : { row }), attempts: 1 };
    },

    async transact(writes, token, terms = {}) {
      checkTransaction(writes);
      checkTransactionBytes(writes.map((write) => (write.op === 'put' ? write.row : undefined)));
      const conflict = (): TransactOutcome => ({
        applied: false,
        reasons: [...writes, ...(terms.beside ?? [])].map(() => ({ code: 'conflict' })),
        attempts: 1,
      });
      const work = async (client: PoolClient): Promise<TransactOutcome> => transactIn(client, writes, token, terms);
      return answered('transact', async () => inTransaction(pool, work), conflict);
    },

    async putAll(table, rows, window = {}) {
      // Of several with one key the last.
      const latest = new Map(rows.map((row) => [JSON.stringify(keyOf(TABLE_SPECS[table], row)), row]));
      const { batches } = batchesOf([...latest.values()]);
      const left: Row[] = [];
      const refusals: StoreRefusedError[] = [];
      for (const batch of batches) {
        try {
          const refusal = refusalOfRows(TABLE_SPECS[table], batch);
          if (refusal !== undefined) throw refusal;
          await answered('putAll', async () => inTransaction(pool, async (client) => putBatch(client, table, batch, window)));
        } catch (error) {
          left.push(...batch);
          if (error instanceof StoreRefusedError) refusals.push(error);
        }
      }
      if (refusals[0] !== undefined && refusals.length === batches.length) throw refusals[0];
      return left;
    },

    query: async (query) => answered('query', async () => queryPage(pool, query)),
    scan: async (scan) => answered('scan', async () => scanPage(pool, scan)),
  };
}

async function putBatch(
  client: PoolClient,
  table: TableName,
  batch: readonly Row[],
  window: WriteWindow,
): Promise<{ readonly applied: true }> {
  const locks = batch.map((row) => lockOfWrite({ op: 'put', table, row }));
  await takeLocks(client, locks, window);
  const rows = batch.map((item) => {
    const [pk, sk] = keyParts(table, item);
    return { pk, sk, item };
  });
  const text = `
    INSERT INTO ${tableName(table)} (pk, sk, item)
    SELECT pk, sk, item FROM jsonb_to_recordset($1::jsonb) AS one(pk text, sk text, item jsonb) ORDER BY pk COLLATE "C", sk COLLATE "C"
    ON CONFLICT (pk, sk) DO UPDATE SET applied = true, item = excluded.item`;
  await client.query(text, [JSON.stringify(rows)]);
  return { applied: true };
}
