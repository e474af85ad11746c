import type { Tables } from '../../../shared/ports/tables.ts';
import type { Coverage } from './coverage.ts';

/** Counts the calls of the port that reached the adapter. */
export function countingTables(inner: Tables, coverage: Coverage): Tables {
  const count = <Result>(result: Promise<Result>): Promise<Result> => {
    coverage.hit('operations');
    return result;
  };
  return {
    get: (table, key) => count(inner.get(table, key)),
    write: (write, window) => count(inner.write(write, window)),
    transact: (writes, token, window) => count(inner.transact(writes, token, window)),
    putAll: (table, rows, window) => count(inner.putAll(table, rows, window)),
    query: (query) => count(inner.query(query)),
    scan: (scan) => count(inner.scan(scan)),
  };
}
