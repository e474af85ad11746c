import { StoreRefusedError } from '../../../../shared/job/errors.ts';
import { checkRow, checkTransaction, checkTransactionBytes, checkWrite } from '../../../../shared/adapters/memory/write-checks.ts';
import { TABLE_SPECS } from '../../../../shared/ports/table-spec.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import type { Operation } from './operation.ts';

/** Whether a store would look at its rows at all, as far as the request by itself tells. Reads count as well formed. */
export function isWellFormed(operation: Operation): boolean {
  try {
    if (operation.op === 'write') checkForm(operation.write);
    if (operation.op === 'transact') {
      checkTransaction(operation.writes);
      operation.writes.forEach(checkForm);
      checkTransactionBytes(operation.writes.map((write) => (write.op === 'put' ? write.row : undefined)));
    }
    if (operation.op === 'putAll') for (const row of operation.rows) checkRow('putAll', TABLE_SPECS[operation.table], row);
    return true;
  } catch (error) {
    if (error instanceof StoreRefusedError) return false;
    throw error;
  }
}

function checkForm(write: Write): void {
  checkWrite(write);
  if (write.op === 'update') checkRow(write.op, TABLE_SPECS[write.table], { ...write.key, ...write.set });
}
