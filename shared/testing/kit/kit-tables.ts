import type { MemoryTables } from '../../memory/tables.ts';

/** Tables that remember which items of the handlers' own were committed with a completion; they are never applied. */
export function withOwnItems(tables: MemoryTables, committed: unknown[]): MemoryTables {
  return {
    get: async (table, key) => tables.get(table, key),
    write: async (write, window) => tables.write(write, window),
    putAll: async (table, rows, window) => tables.putAll(table, rows, window),
    query: async (query) => tables.query(query),
    scan: async (scan) => tables.scan(scan),
    rows: (table) => tables.rows(table),
    async transact(writes, token, options = {}) {
      const outcome = await tables.transact(writes, token, options);
      if (outcome.applied) committed.push(...(options.beside ?? []));
      return outcome;
    },
  };
}
