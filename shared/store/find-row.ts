import type { JobId } from '../job/job-id.ts';
import type { Row, RowKey, TableName, Tables } from '../ports/tables.ts';
import { movedKey } from './control-rows.ts';
import { rowBytes } from './row-bytes.ts';
import { historyKey, idKey, timerKey } from './rows.ts';

/** A job's row as stored, readable or not. */
export interface FoundRow {
  readonly table: Exclude<TableName, 'control'>;
  readonly key: RowKey;
  readonly row: Row;
}

/**
 * Finds a job's row by its id in any table, in up to seven consistent reads. If it is in none, searches once more: it may have moved
 * between two reads. `onRead` receives the approximate cost of each read, in read units.
 */
export async function findRow(tables: Tables, id: JobId, onRead: (readUnits: number) => void = () => {}): Promise<FoundRow | undefined> {
  const get = async (table: TableName, key: RowKey): Promise<Row | undefined> => {
    const row = await tables.get(table, key);
    onRead(row === undefined ? 1 : unitsOf(row));
    return row;
  };
  return (await look(get, id)) ?? (await look(get, id));
}

/** About the read units of a consistent read of this row. */
export const unitsOf = (row: Row): number => Math.ceil(rowBytes(row) / 4096);

type Get = (table: TableName, key: RowKey) => Promise<Row | undefined>;

async function look(get: Get, id: JobId): Promise<FoundRow | undefined> {
  const at = async (table: FoundRow['table'], key: RowKey): Promise<FoundRow | undefined> => {
    const row = await get(table, key);
    return row && { table, key, row };
  };
  const found = (await at('jobs', idKey(id))) ?? (await lookInTimers(get, id));
  if (found) return found;
  const elsewhere = await Promise.all([at('suspended', idKey(id)), at('deadLetters', idKey(id)), at('history', historyKey(id))]);
  return elsewhere.find((one) => one !== undefined);
}

async function lookInTimers(get: Get, id: JobId): Promise<FoundRow | undefined> {
  const first = timerKey(id);
  const [row, moved] = await Promise.all([get('timers', first), get('control', movedKey(id))]);
  if (row) return { table: 'timers', key: first, row };
  if (moved === undefined) return undefined;
  const key = { shard: String(moved['shard'] ?? first['shard']), due: String(moved['due']) };
  const movedRow = await get('timers', key);
  return movedRow && { table: 'timers', key, row: movedRow };
}
