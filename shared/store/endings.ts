import type { Job } from '../core/job.ts';
import type { Write } from '../ports/tables.ts';
import { batchListKey } from './batch-rows.ts';
import { batchLeafKey } from './control-rows.ts';

/** How a job of a batch ended, as its batch counts it; `revived`: a dead letter was redriven, so its failure does not count any more. */
export type BatchCount = 'succeeded' | 'failed' | 'cancelled' | 'revived';

/**
 * What else is written in the very transaction that ends a job (or brings a dead one back): its batch counts it, once, because the
 * transaction is fenced by the row that it deletes. A batch that may have been finished is listed again when a child comes back.
 * Nothing for a job without a batch.
 */
export function endingWrites(job: Pick<Job, 'batch' | 'batchLeaf'> & Partial<Pick<Job, 'id' | 'rev'>>, count: BatchCount): Write[] {
  const { batch, batchLeaf = 0 } = job;
  if (batch === undefined) return [];
  const add = count === 'revived' ? { failed: -1 } : { [count]: 1 };
  const counted: Write = { op: 'update', table: 'control', key: batchLeafKey(batch, batchLeaf), set: {}, add };
  if (count !== 'revived') return [counted];
  return [counted, { op: 'put', table: 'control', row: { ...batchListKey(batch), revived: `${job.id ?? ''}/${job.rev ?? 0}` } }];
}
