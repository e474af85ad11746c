import type { AttemptRecord } from '../core/attempt.ts';
import type { FinishedJob, LeasedJob } from '../core/job.ts';
import { keyToRelease } from '../core/unique-key.ts';
import type { Row, Tables, Write, WriteOutcome } from '../ports/tables.ts';
import { attemptRow } from './attempt-rows.ts';
import { all, heldBy, notCancelled } from './conditions.ts';
import { type CancelWhy, whyOf } from './cancel-why.ts';
import { resultRow } from './control-rows.ts';
import { creationWrites, type NewJob } from './create.ts';
import { endingWrites } from './endings.ts';
import { historyRow, idKey } from './rows.ts';
import type { CancelAsked, Lost } from './settled.ts';
import { transactEnding } from './transact-ending.ts';

/**
 * The job is gone. `cancelled`: a cancel request had reached the row before, so the end counts as cancelled. `followUps` are those
 * that were created; one whose key or own id exists already was left out.
 */
export interface Finished {
  readonly result: 'finished';
  readonly cancelled: boolean;
  /** What the cancel request that had reached the row said. */
  readonly why: CancelWhy;
  readonly followUps: readonly NewJob[];
}

/** `items-refused`: a condition of the handler's own items failed; nothing was written and the job is still held. */
export type Completed = Finished | Lost | CancelAsked | { readonly result: 'items-refused' };

/** What a handler's completion brings along; built once for an attempt, so that every try to record it writes the same. */
export interface Along {
  readonly followUps: readonly NewJob[];
  readonly items: readonly unknown[];
  readonly result?: { readonly json: string; readonly keepMs: number };
}

/** A completion that brings nothing along. */
export const NOTHING_ALONG: Along = { followUps: [], items: [] };

/** What belongs to a completion besides deleting the row. */
export interface Completion {
  /** The present time, asked for after the answer came: a process that thawed in between must not trust an older one. */
  readonly now: () => number;
  /** When the attempt ended; the same for every try to record it. Default: now. */
  readonly endedAt?: number;
  /** Tries before this one whose reply was lost: any of them may have been applied. */
  readonly earlierTries?: number;
  /** Durable history: written in the same transaction. */
  readonly history?: { readonly finished: FinishedJob; readonly attempt: AttemptRecord; readonly days: number };
  readonly along?: Along;
}

/**
 * Ends a running job: one conditional delete, and one more when it was asked to stop. With a unique key, a batch, durable history, follow-ups, a result or items of the
 * handler's own it is a transaction, which a cancel request stops (`cancel-asked`), because a transaction does not give the old
 * row back.
 */
export async function complete(tables: Tables, job: LeasedJob, completion: Completion): Promise<Completed> {
  const { history, along = NOTHING_ALONG, endedAt = completion.now(), earlierTries = 0 } = completion;
  const key = keyToRelease(job);
  const others: Write[] = [
    ...endingWrites(job, 'succeeded'),
    ...(history ? historyWrites(history) : []),
    ...resultWrites(job, along, endedAt),
  ];
  const alone = key === undefined && others.length === 0 && along.followUps.length === 0 && along.items.length === 0;
  if (alone) return completeAlone(tables, job, completion);
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), notCancelled) };
  const ended = await transactEnding(tables, {
    id: job.id,
    writes: [remove, ...others],
    key,
    token: `complete/${job.id}/${job.lockOwner}`,
    // A follow-up may take over the key that ends with this job; one for a stated time stays taken.
    optional: along.followUps.map((fresh) => creationWrites(fresh, endedAt, key === undefined ? undefined : job.id)),
    beside: along.items,
  });
  if (ended.applied) {
    return { ...finished([]), followUps: along.followUps.filter((_, index) => !ended.leftOut.has(index)) };
  }
  if (ended.besideRefused) return { result: 'items-refused' };
  if (ended.row?.['lockOwner'] === job.lockOwner) return { result: 'cancel-asked' };
  return deletedByMe(ended.row, 1 + earlierTries, completion.now() < job.lockExpiresAt) ? finished(along.followUps) : { result: 'lost' };
}

async function completeAlone(tables: Tables, job: LeasedJob, completion: Completion): Promise<Completed> {
  const uncancelled = all(heldBy(job.lockOwner), notCancelled);
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: uncancelled, quiet: true });
  if (outcome.applied) return finished([]);
  if (outcome.row?.['lockOwner'] === job.lockOwner) return completeAsCancelled(tables, job, completion);
  return withoutRow(outcome, job, completion);
}

/** Only a job that was asked to stop pays for the write that learns why. */
async function completeAsCancelled(tables: Tables, job: LeasedJob, completion: Completion): Promise<Completed> {
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: heldBy(job.lockOwner) });
  if (!outcome.applied) return withoutRow(outcome, job, completion);
  return { ...finished([], outcome.row?.['cancelRequested'] === true), why: whyOf(outcome.row) };
}

function withoutRow(outcome: Pick<WriteOutcome, 'row' | 'attempts'>, job: LeasedJob, { now, earlierTries = 0 }: Completion): Completed {
  return deletedByMe(outcome.row, outcome.attempts + earlierTries, now() < job.lockExpiresAt) ? finished([]) : { result: 'lost' };
}

function finished(followUps: readonly NewJob[], cancelled = false): Finished {
  return { result: 'finished', cancelled, why: {}, followUps };
}

function historyWrites({ finished: ended, attempt, days }: NonNullable<Completion['history']>): Write[] {
  return [historyRow(ended, days), attemptRow(attempt, days)].map((row) => ({ op: 'put', table: 'history', row }));
}

function resultWrites(job: LeasedJob, { result }: Along, now: number): Write[] {
  if (result === undefined) return [];
  return [{ op: 'put', table: 'control', row: resultRow(job, result.json, { now, until: now + result.keepMs }) }];
}

/** Whether a delete that found no row was applied by an earlier request of its own: only while my lease still lives. */
function deletedByMe(row: Row | undefined, requests: number, leaseLives: boolean): boolean {
  return row === undefined && requests > 1 && leaseLives;
}
