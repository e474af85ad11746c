import { isDeepStrictEqual } from 'node:util';
import { conditionHolds } from '../../../shared/adapters/memory/condition.ts';
import { keyOf, TABLE_SPECS } from '../../../shared/ports/table-spec.ts';
import type { Row, TableName, Write } from '../../../shared/ports/tables.ts';

/**
 * Whether writes that arrive late would change anything now. If not, nobody can tell whether they arrive: they change no row, and
 * their process has given up waiting for the answer. A token that was used already is not looked at.
 */
export function wouldChange(writes: readonly Write[], rowsOf: (table: TableName) => readonly Row[]): boolean {
  const rows = writes.map((write) => ({ write, row: rowOf(write, rowsOf(write.table)) }));
  return (
    rows.every(({ write, row }) => conditionHolds(write.condition, row)) &&
    rows.some(({ write, row }) => !(write.op === 'put' && row !== undefined && isDeepStrictEqual({ ...write.row }, { ...row })))
  );
}

function rowOf(write: Write, rows: readonly Row[]): Row | undefined {
  const key = write.op === 'put' ? keyOf(TABLE_SPECS[write.table], write.row) : write.key;
  return rows.find((row) => Object.entries(key).every(([name, value]) => row[name] === value));
}
