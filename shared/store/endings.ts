import type { Job } from '../core/job.ts';
import type { Write } from '../ports/tables.ts';
import { batchLeafKey } from './control-rows.ts';

/** How a job of a batch ended, as its batch counts it; `revived`: a dead letter was redriven, so its failure does not count any more. */
export type BatchCount = 'succeeded' | 'failed' | 'cancelled' | 'revived';

/**
 * What else is written in the very transaction that ends a job (or brings a dead one back): its batch counts it, once, because the
 * transaction is fenced by the row that it deletes. Nothing for a job without a batch.
 */
export function endingWrites(job: Pick<Job, 'batch' | 'batchLeaf'>, count: BatchCount): Write[] {
  const { batch, batchLeaf = 0 } = job;
  if (batch === undefined) return [];
  const add = count === 'revived' ? { failed: -1 } : { [count]: 1 };
  return [{ op: 'update', table: 'control', key: batchLeafKey(batch, batchLeaf), set: {}, add }];
}
