import { TABLE_NAMES, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Page, Row, TableName, Tables, Write } from '../../shared/ports/tables.ts';

/**
 * Fresh tables that answer by themselves what is read of a partition, or scanned of a table, that was never written to. Such reads find nothing
 * whatever the store is, and are half of the requests of the flows: a tick asks 64 shards. All writes have to come through here; `begin` is called
 * before the first to a table.
 */
export function withoutEmptyReads(inner: Tables, begin: (table: TableName) => Promise<unknown>): Tables {
  const written = new Map<TableName, Set<string>>();
  let all = false;
  const begun = new Map<TableName, Promise<unknown>>();
  const beginOnce = async (table: TableName): Promise<unknown> => {
    const started = begun.get(table) ?? begin(table);
    begun.set(table, started);
    return started;
  };
  const note = async (table: TableName, rows: readonly Row[]): Promise<unknown> => {
    const partitions = written.get(table) ?? new Set();
    written.set(table, partitions);
    for (const row of rows) partitions.add(String(row[TABLE_SPECS[table].partition]));
    return beginOnce(table);
  };
  const noteWrite = async (write: Write): Promise<unknown> => note(write.table, [write.op === 'put' ? write.row : write.key]);
  const isEmpty = async (table: TableName, partition?: string): Promise<boolean> => {
    const partitions = written.get(table);
    if (!all && (partitions === undefined || (partition !== undefined && !partitions.has(partition)))) return true;
    await beginOnce(table);
    return false;
  };
  return {
    get: async (table, key) => ((await isEmpty(table, key[TABLE_SPECS[table].partition])) ? undefined : inner.get(table, key)),
    query: async (query) =>
      (await isEmpty(query.table, query.index === undefined ? query.partition : undefined))
        ? nothing(query.consistent)
        : inner.query(query),
    scan: async (scan) => ((await isEmpty(scan.table)) ? nothing(scan.consistent) : inner.scan(scan)),
    async write(write, window) {
      await noteWrite(write);
      return inner.write(write, window);
    },
    async transact(writes, token, terms) {
      // A user's own items may be rows of any of these tables.
      if (terms?.beside !== undefined) {
        all = true;
        await Promise.all(TABLE_NAMES.map(beginOnce));
      }
      await Promise.all(writes.map(noteWrite));
      return inner.transact(writes, token, terms);
    },
    async putAll(table, rows, window) {
      await note(table, rows);
      return inner.putAll(table, rows, window);
    },
  };
}

const nothing = (consistent = false): Page => ({ rows: [], readUnits: consistent ? 1 : 0.5, scanned: 0 });
