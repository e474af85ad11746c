import type { MemoryTables } from '../../../shared/adapters/memory/tables.ts';
import type { TableName } from '../../../shared/ports/tables.ts';

/** Tables whose rows say when something may be done. */
const TABLES: readonly TableName[] = ['jobs', 'timers', 'suspended', 'control'];
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;

/** The first moment at which an instant of a row has come, between two; undefined if there is none. */
export function nextInstant(
  tables: MemoryTables,
  { after, until }: { readonly after: number; readonly until: number },
): number | undefined {
  let first: number | undefined;
  for (const table of TABLES) {
    for (const row of tables.rows(table)) {
      for (const value of Object.values(row)) {
        if (typeof value !== 'string' || !INSTANT.test(value)) continue;
        const at = Date.parse(value.slice(0, 24)) + 1;
        if (at > after && at <= until && (first === undefined || at < first)) first = at;
      }
    }
  }
  return first;
}
