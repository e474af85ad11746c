import type { Tables } from '../../ports/tables.ts';
import { putRows } from './batch-put.ts';
import { beginEffort, type DynamoDeps } from './caller.ts';
import { GroupCommit } from './group-commit.ts';
import { queryRows, scanRows } from './pages.ts';
import { getRow, writeOne } from './single-write.ts';
import { transactAll } from './transaction.ts';

/**
 * The tables in DynamoDB. Every conditional write asks for the row that made it fail; every call ends within the SDK's
 * timeouts and before `deadlineAt`. With `batches`, conditional writes of one turn of the event loop share a request.
 */
export function createDynamoTables(deps: DynamoDeps): Tables {
  const together = deps.batches === undefined ? undefined : new GroupCommit(deps, deps.batches);
  return {
    get: (table, key) => getRow(deps, table, key),
    write: (write, window) => together?.write(write, window) ?? writeOne(deps, write, beginEffort(deps, window)),
    transact: (writes, token, window) => transactAll(deps, writes, token, window),
    putAll: (table, rows, window) => putRows(deps, table, rows, window),
    query: (query) => queryRows(deps, query),
    scan: (scan) => scanRows(deps, scan),
  };
}
