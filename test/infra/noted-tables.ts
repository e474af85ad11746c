import type { TableAction } from '../../infra/permissions.ts';
import { canBePutTogether } from '../../shared/adapters/dynamodb/puts-together.ts';
import { canBeStated } from '../../shared/adapters/dynamodb/statement.ts';
import type { TableName, Tables, Write } from '../../shared/ports/tables.ts';

const ACTIONS: Readonly<Record<Write['op'], TableAction>> = {
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
  check: 'ConditionCheckItem',
};

/** Of a write that may travel in a batch IAM checks the statement's action too: for the functions, whose writes do. */
const STATED = { update: 'PartiQLUpdate', delete: 'PartiQLDelete' } as const;

/** Tables of which every call is noted as the action that IAM checks, `table Action`. `batching`: whether writes may travel as statements. */
export function notedTables(inner: Tables, noted: (call: string) => void, batching: boolean): Tables {
  const note = (table: TableName, action: string): void => noted(`${table} ${action}`);
  return {
    get: async (table, key) => (note(table, 'GetItem'), inner.get(table, key)),
    async write(write, window) {
      note(write.table, ACTIONS[write.op]);
      if (batching && canBeStated(write)) note(write.table, STATED[write.op]);
      if (canBePutTogether(write, window)) note(write.table, 'BatchWriteItem');
      return inner.write(write, window);
    },
    transact: async (writes, token, window) => {
      for (const write of writes) note(write.table, ACTIONS[write.op]);
      return inner.transact(writes, token, window);
    },
    putAll: async (table, rows, window) => (note(table, 'BatchWriteItem'), inner.putAll(table, rows, window)),
    query: async (query) => (note(query.table, query.index === undefined ? 'Query' : `index ${query.index}`), inner.query(query)),
    scan: async (scan) => (note(scan.table, 'Scan'), inner.scan(scan)),
  };
}
