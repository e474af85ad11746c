import type { Pool, PoolClient } from 'pg';
import {
  conditionHolds,
  type Row,
  type RowKey,
  StoreRefusedError,
  StoreUnavailableError,
  type Write,
} from '../../shared/adapters/own/index.ts';
import { conditionSql, keyParts, tableName, updatedSql, Values } from './sql-parts.ts';

/** What a write did to its row: `row` is what it met, or made. */
export interface Written {
  readonly applied: boolean;
  readonly row?: Row;
}

/** Errors of PostgreSQL by which nothing was written and never will be: data, constraints, syntax, limits. */
const REFUSED = /^(22|23|42|54)/;
/** A deadlock or a conflict: rolled back, and worth another try. */
const CONFLICT = /^40(001|P01)$/;
const TRIES = 4;

/** The code of an error of PostgreSQL, or of the network. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Runs `work`, again after a conflict. Throws StoreRefusedError if nothing was written, StoreUnavailableError if that is not known. */
export async function answered<Answer>(operation: string, work: () => Promise<Answer>, onConflict?: () => Answer): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreRefusedError || error instanceof StoreUnavailableError) throw error;
      const code = codeOf(error);
      if (REFUSED.test(code)) throw new StoreRefusedError(operation, error);
      if (!CONFLICT.test(code)) throw new StoreUnavailableError(operation, error);
      if (tries < TRIES) continue;
      if (onConflict !== undefined) return onConflict();
      throw new StoreUnavailableError(operation, error);
    }
  }
}

/** Makes one conditional write in one statement, which locks the row, tests it and changes it. */
export async function writeRow(sql: Pool | PoolClient, write: Write): Promise<Written> {
  const values = new Values();
  const text = write.op === 'put' || write.op === 'update' ? changeSql(write, values) : removeSql(write, values);
  const [found] = (await sql.query<{ applied: boolean; item: Row | null }>(text, values.list)).rows;
  // There was no row, and none was made.
  if (found === undefined) return { applied: write.op !== 'put' && write.op !== 'update' && conditionHolds(write.condition, undefined) };
  return { applied: found.applied, ...(found.item === null ? {} : { row: found.item }) };
}

function changeSql(write: Write & { readonly op: 'put' | 'update' }, values: Values): string {
  const [pk, sk] = keyParts(write.table, write.op === 'put' ? write.row : write.key).map((part) => values.text(part));
  const changed = write.op === 'put' ? values.json(write.row) : updatedSql(write, 'old.item', values);
  const holds = conditionSql(write.condition, 'old.item', values);
  const table = `${tableName(write.table)} AS old`;
  const set = `SET applied = ${holds}, item = CASE WHEN ${holds} THEN ${changed} ELSE old.item END`;
  // A put shows its row only where its condition failed.
  const returning = `RETURNING applied, ${write.op === 'put' ? 'CASE WHEN applied THEN NULL ELSE item END AS item' : 'item'}`;
  if (!conditionHolds(write.condition, undefined)) return `UPDATE ${table} ${set} WHERE pk = ${pk} AND sk = ${sk} ${returning}`;
  const made = write.op === 'put' ? changed : values.json({ ...write.key, ...write.set, ...write.add });
  return `INSERT INTO ${table} (pk, sk, item) VALUES (${pk}, ${sk}, ${made}) ON CONFLICT (pk, sk) DO UPDATE ${set} ${returning}`;
}

function removeSql(write: { readonly op: 'delete' | 'check' } & Write, values: Values): string {
  const key = (write as { readonly key: RowKey }).key;
  const [pk, sk] = keyParts(write.table, key).map((part) => values.text(part));
  const table = tableName(write.table);
  const holds = conditionSql(write.condition, 'met.item', values);
  const met = `met AS (SELECT item FROM ${table} WHERE pk = ${pk} AND sk = ${sk} FOR UPDATE)`;
  const gone = `gone AS (DELETE FROM ${table} AS old USING met WHERE old.pk = ${pk} AND old.sk = ${sk} AND ${holds})`;
  return `WITH ${write.op === 'delete' ? `${met}, ${gone}` : met} SELECT item, ${holds} AS applied FROM met`;
}
