import type { Tables } from '../../ports/tables.ts';
import { putRows } from './batch-put.ts';
import type { DynamoParts } from './caller.ts';
import { queryRows, scanRows } from './pages.ts';
import { getRow, writeOne } from './single-write.ts';
import { transactAll } from './transaction.ts';

/**
 * The tables in DynamoDB. Every conditional write asks for the row that made it fail; every call ends within the SDK's
 * timeouts and before `deadlineAt`.
 */
export function createDynamoTables(parts: DynamoParts): Tables {
  return {
    get: (table, key) => getRow(parts, table, key),
    write: (write, window) => writeOne(parts, write, window),
    transact: (writes, token, window) => transactAll(parts, writes, token, window),
    putAll: (table, rows, window) => putRows(parts, table, rows, window),
    query: (query) => queryRows(parts, query),
    scan: (scan) => scanRows(parts, scan),
  };
}
