import type { FinishedJob, LeasedJob } from '../core/job.ts';
import { keyToRelease } from '../core/unique-key.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { all, heldBy, notCancelled } from './conditions.ts';
import { historyRow, idKey } from './rows.ts';
import type { CancelAsked, Lost } from './settled.ts';
import { transactWithKey } from './transact-with-key.ts';

/** The job is gone. `cancelled`: a cancel request had reached the row before, so the end counts as cancelled. */
export type Completed = { readonly result: 'finished'; readonly cancelled: boolean } | Lost | CancelAsked;

/** What belongs to a completion besides deleting the row. */
export interface Completion {
  /** The present time, asked for after the answer came: a process that thawed in between must not trust an older one. */
  readonly now: () => number;
  /** Tries before this one whose reply was lost: any of them may have been applied. */
  readonly earlierTries?: number;
  /** Durable history: written in the same transaction. */
  readonly history?: { readonly finished: FinishedJob; readonly days: number };
}

/**
 * Ends a running job: one conditional delete. With a unique key or durable history it is a transaction, which a cancel
 * request stops (`cancel-asked`), because a transaction does not give the old row back.
 */
export async function complete(tables: Tables, job: LeasedJob, completion: Completion): Promise<Completed> {
  const { history } = completion;
  const key = keyToRelease(job);
  if (key === undefined && history === undefined) return completeAlone(tables, job, completion);
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), notCancelled) };
  const keep: Write[] = history ? [{ op: 'put', table: 'history', row: historyRow(history.finished, history.days) }] : [];
  const ended = await transactWithKey(tables, { id: job.id, writes: [remove, ...keep], key, token: `complete/${job.id}/${job.lockOwner}` });
  if (ended.applied) return { result: 'finished', cancelled: false };
  if (ended.row?.['lockOwner'] === job.lockOwner) return { result: 'cancel-asked' };
  const { earlierTries = 0 } = completion;
  return deletedByMe(ended.row, 1 + earlierTries, completion.now() < job.lockExpiresAt)
    ? { result: 'finished', cancelled: false }
    : { result: 'lost' };
}

async function completeAlone(tables: Tables, job: LeasedJob, { now, earlierTries = 0 }: Completion): Promise<Completed> {
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: heldBy(job.lockOwner) });
  if (outcome.applied) return { result: 'finished', cancelled: outcome.row?.['cancelRequested'] === true };
  const requests = outcome.attempts + earlierTries;
  return deletedByMe(outcome.row, requests, now() < job.lockExpiresAt) ? { result: 'finished', cancelled: false } : { result: 'lost' };
}

/** Whether a delete that found no row was applied by an earlier request of its own: only while my lease still lives. */
function deletedByMe(row: Row | undefined, requests: number, leaseLives: boolean): boolean {
  return row === undefined && requests > 1 && leaseLives;
}
