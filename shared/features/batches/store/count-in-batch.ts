import type { Job } from '../../../job/job.ts';
import type { Write } from '../../../ports/tables.ts';
import { batchLeafKey } from '../../../store/control-rows.ts';

/** How a job of a batch ended, as its batch counts it; `revived`: a dead letter was redriven, so its failure does not count any more. */
export type BatchCount = 'succeeded' | 'failed' | 'cancelled' | 'revived';

/** Counts a job in its batch, once: the transaction is fenced by the row that it deletes. Nothing for a job without a batch. */
export function countInBatch({ batch, batchLeaf = 0 }: Pick<Job, 'batch' | 'batchLeaf'>, count: BatchCount): Write[] {
  if (batch === undefined) return [];
  const add = count === 'revived' ? { failed: -1 } : { [count]: 1 };
  return [{ op: 'update', table: 'control', key: batchLeafKey(batch, batchLeaf), set: {}, add }];
}
