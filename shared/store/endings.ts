import type { Job } from '../job/job.ts';
import { type BatchCount, countInBatch } from '../features/batches/store/count-in-batch.ts';
import { listBatchAgain } from '../features/batches/store/list-batch-again.ts';
import { settleWrites } from '../features/schedules/store/settle-occurrence.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { leavePlaceWrites, type Placed, takePlaceWrites } from './group-places.ts';

/** The writes that features add when a job ends or comes back. The store's verbs use them only through these three functions. */

/** Written in the very transaction that ends a job, or brings a dead one back. */
export function endingWrites(job: Pick<Job, 'batch' | 'batchLeaf'> & Placed, how: BatchCount): Write[] {
  const { batch, batchLeaf = 0 } = job;
  return [...(batch === undefined ? [] : countInBatch(batch, batchLeaf, how)), ...placeWrites(job, how)];
}

/** A dead letter keeps its place. If an operator has released its group since, it takes the place again. */
function placeWrites(job: Placed, how: BatchCount): Write[] {
  if (how === 'failed') return [];
  return how === 'revived' ? takePlaceWrites(job) : leavePlaceWrites(job);
}

/** Demanded and written with the cancel of a job that waits. */
export async function cancelFences(tables: Tables, job: Job, now: number): Promise<readonly Write[]> {
  return settleWrites(tables, job, now);
}

/** Done before a dead letter is made ready again, outside its transaction. `token` is the redrive's. */
export async function beforeRedrive(tables: Tables, { batch }: Pick<Job, 'batch'>, token: string, now: number): Promise<void> {
  if (batch !== undefined) await listBatchAgain(tables, batch, token, now);
}
