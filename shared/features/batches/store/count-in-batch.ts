import type { Write } from '../../../ports/tables.ts';
import { batchLeafKey } from '../../../store/control-rows.ts';

/** How a job of a batch ended, as its batch counts it; `revived`: a dead letter was redriven, so its failure does not count any more. */
export type BatchCount = 'succeeded' | 'failed' | 'cancelled' | 'revived';

/** Counts a job in its batch, once: the transaction is fenced by the row that it deletes. */
export function countInBatch(batch: string, leaf: number, count: BatchCount): Write[] {
  const add = count === 'revived' ? { failed: -1 } : { [count]: 1 };
  return [{ op: 'update', table: 'control', key: batchLeafKey(batch, leaf), set: {}, add }];
}
