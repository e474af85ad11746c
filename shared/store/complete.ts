import type { FinishedJob, LeasedJob } from '../core/job.ts';
import { keyToRelease } from '../core/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { heldBy, keyOfJob } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';
import { historyRow, idKey } from './rows.ts';
import { deletedByMe, type Lost } from './settled.ts';

/** The job is gone. `cancelled`: a cancel request had reached the row before, so the end counts as cancelled. */
export type Completed = { readonly result: 'finished'; readonly cancelled: boolean } | Lost;

/** What belongs to the completion besides deleting the row. */
export interface CompletionExtras {
  /** Durable history: written in the same transaction. */
  readonly history?: { readonly finished: FinishedJob; readonly days: number };
}

/**
 * Ends a running job: one conditional delete. With a unique key or durable history one transaction; a key that belongs to
 * another job by now is left out.
 */
export async function complete(tables: Tables, job: LeasedJob, now: number, extras: CompletionExtras = {}): Promise<Completed> {
  const key = keyToRelease(job);
  if (key === undefined && extras.history === undefined) return completeAlone(tables, job, now);
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: heldBy(job.lockOwner) };
  const history: Write[] = extras.history
    ? [{ op: 'put', table: 'history', row: historyRow(extras.history.finished, extras.history.days) }]
    : [];
  const release: Write[] =
    key === undefined ? [] : [{ op: 'delete', table: 'control', key: uniqueKeyKey(key), condition: keyOfJob(job.id) }];
  const token = `complete/${job.id}/${job.lockOwner}`;
  const first = await tables.transact([remove, ...history, ...release], token);
  if (first.applied) return { result: 'finished', cancelled: job.cancelRequested === true };
  if (first.reasons[0]?.code !== 'none') return { result: 'lost' };
  const second = await tables.transact([remove, ...history], `${token}/without-key`);
  return second.applied ? { result: 'finished', cancelled: job.cancelRequested === true } : { result: 'lost' };
}

async function completeAlone(tables: Tables, job: LeasedJob, now: number): Promise<Completed> {
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: heldBy(job.lockOwner) });
  if (outcome.applied) return { result: 'finished', cancelled: outcome.row?.['cancelRequested'] === true };
  return deletedByMe(outcome, job.lockExpiresAt, now) ? { result: 'finished', cancelled: false } : { result: 'lost' };
}
