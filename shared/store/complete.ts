import type { AttemptRecord } from '../job/attempt.ts';
import { defined } from '../job/defined.ts';
import { joinParts } from '../job/hash.ts';
import type { FinishedJob, LeasedJob } from '../job/job.ts';
import { keyToCancel, keyToRelease } from '../job/unique-key.ts';
import type { Tables, Write, WriteOutcome } from '../ports/tables.ts';
import { attemptRow } from './attempt-rows.ts';
import { all, heldBy, notCancelled } from './conditions.ts';
import type { CancelTerms } from './cancel.ts';
import { type CancelWhy, whyOf } from './cancel-why.ts';
import { Cancellations, type CancelledWith, type CancelTarget } from './cancel-with.ts';
import { resultRow } from './control-rows.ts';
import { creationWrites, type NewJob } from './create.ts';
import { endingWrites } from './endings.ts';
import { historyRow, idKey } from './rows.ts';
import type { CancelAsked, Lost } from './transact-while-leased.ts';
import { transactEnding } from './transact-ending.ts';

/**
 * The job is gone. `cancelled`: a cancel request had reached the row before, so the end counts as cancelled. `followUps` are those
 * that were created; one whose key or own id exists already was left out.
 */
export interface Finished {
  readonly result: 'finished';
  readonly cancelled: boolean;
  /** Reason and actor of the cancel request, if there was one. */
  readonly why: CancelWhy;
  readonly followUps: readonly NewJob[];
  /** The jobs that were cancelled with it, or asked to stop. */
  readonly cancelledWith?: readonly CancelledWith[];
}

/** `items-refused`: a condition of the handler's own items failed; nothing was written and the job is still held. */
export type Completed = Finished | Lost | CancelAsked | { readonly result: 'items-refused' };

/** What a handler's completion brings along; built once for an attempt, so that every try to record it writes the same. */
export interface CompletionExtras {
  readonly followUps: readonly NewJob[];
  readonly items: readonly unknown[];
  readonly cancels?: readonly CancelTarget[];
  readonly result?: { readonly json: string; readonly keepMs: number };
}

/** A completion that brings nothing along. */
export const NO_EXTRAS: CompletionExtras = { followUps: [], items: [] };

/**
 * State shared by the tries to record one end of a run. A write whose reply was lost may have been applied, and a missing row
 * does not show which: the next try must know what the previous one found.
 */
export interface Tries {
  /** Tries before this one whose reply was lost. */
  earlier: number;
  /** The cancel request that was found: from then on the run can only have ended as cancelled. */
  cancel?: CancelWhy;
  /** What transactions of this end leave out; see `Ending`. */
  readonly leftOut: Set<number>;
  /** The same for the transaction that ends it as cancelled. */
  readonly leftOutOfCancel: Set<number>;
  /** The jobs that the transaction cancels, as the last try planned it. */
  cancels?: Cancellations | undefined;
}

/** Nothing was tried yet. */
export function noTries(): Tries {
  return { earlier: 0, leftOut: new Set(), leftOutOfCancel: new Set() };
}

/** The writes of a completion in addition to deleting the row. */
export interface Completion {
  /** Reads the clock after the reply, because the process may have been frozen in between. */
  readonly now: () => number;
  /** When the attempt ended; the same for every try to record it. Default: now. */
  readonly endedAt?: number;
  /** One for all tries to record this end. Default: there is only this one. */
  readonly tries?: Tries;
  /** Durable history: written in the same transaction. */
  readonly history?: { readonly finished: FinishedJob; readonly attempt: AttemptRecord; readonly days: number };
  readonly extras?: CompletionExtras;
  /** Under which jobs are cancelled with it; needed where `extras` names some. */
  readonly cancelTerms?: CancelTerms;
  /** Identifies this completion. All its tries share it; a concurrent completion with other writes has its own. */
  readonly token?: string;
}

/**
 * Ends a running job: one conditional delete, and a second one if a cancel was requested. With a unique key, a batch, durable history, follow-ups, a result or items of the
 * handler's own it is a transaction, which a cancel request stops (`cancel-asked`), because a transaction does not give the old
 * row back.
 */
export async function complete(tables: Tables, job: LeasedJob, completion: Completion): Promise<Completed> {
  const { history, extras = NO_EXTRAS, endedAt = completion.now(), tries = noTries() } = completion;
  const key = keyToRelease(job);
  const others: Write[] = [
    ...endingWrites(job, 'succeeded'),
    ...(history ? historyWrites(history) : []),
    ...resultWrites(job, extras, endedAt),
  ];
  const plain =
    key === undefined && others.length === 0 && extras.followUps.length === 0 && extras.items.length === 0 && extras.cancels === undefined;
  const tried: TriedCompletion = { ...completion, extras, endedAt, tries };
  if (!plain) return completeInTransaction(tables, job, tried, { key, others });
  // A key for a stated time outlives a completion and not a cancel, which frees it in a transaction.
  const frees = keyToCancel(job) !== undefined;
  if (tries.cancel !== undefined && frees) return { result: 'cancel-asked', why: tries.cancel };
  if (tries.cancel !== undefined) return completeAsCancelled(tables, job, tried, { why: tries.cancel, earlier: 1 });
  const uncancelled = all(heldBy(job.lockOwner), notCancelled);
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: uncancelled, quiet: true });
  if (outcome.applied || deletedByMe(outcome, tries.earlier, job, completion)) return finished([]);
  if (outcome.row?.['lockOwner'] !== job.lockOwner) return { result: 'lost' };
  const why = (tries.cancel = whyOf(outcome.row));
  return frees ? { result: 'cancel-asked', why } : completeAsCancelled(tables, job, tried, { why, earlier: 0 });
}

type TriedCompletion = Completion & Required<Pick<Completion, 'extras' | 'endedAt' | 'tries'>>;

async function completeInTransaction(
  tables: Tables,
  job: LeasedJob,
  completion: TriedCompletion,
  { key, others }: { readonly key: string | undefined; readonly others: readonly Write[] },
): Promise<Completed> {
  const { extras, endedAt, tries, token = '' } = completion;
  if (tries.cancel !== undefined) return { result: 'cancel-asked', why: tries.cancel };
  const cancels = (tries.cancels ??= await cancellations(tables, job, completion));
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), notCancelled) };
  const ended = await transactEnding(tables, {
    id: job.id,
    fences: [remove],
    writes: others,
    key,
    token: joinParts(['complete', job.id, job.lockOwner, token]),
    // A follow-up may take over the key that ends with this job; one for a stated time stays taken.
    optional: extras.followUps.map((fresh) => creationWrites(fresh, endedAt, key === undefined ? undefined : job.id)),
    beside: extras.items,
    ...defined({ cancels }),
    leftOut: tries.leftOut,
  });
  if (ended.applied) {
    const followUps = extras.followUps.filter((_, index) => !ended.leftOut.has(index));
    return { ...finished(followUps), ...defined({ cancelledWith: cancels?.done }) };
  }
  if (ended.besideRefused) return { result: 'items-refused' };
  if (ended.row?.['lockOwner'] === job.lockOwner) return { result: 'cancel-asked', why: (tries.cancel = whyOf(ended.row)) };
  // One that was applied before, by this try or an earlier one, would have been recognised by its token.
  return { result: 'lost' };
}

/** What the completion cancels, as it is now; nothing is read where it cancels nothing. */
async function cancellations(tables: Tables, job: LeasedJob, { extras, cancelTerms }: Completion): Promise<Cancellations | undefined> {
  if (extras?.cancels === undefined || cancelTerms === undefined) return undefined;
  const cancels = new Cancellations(tables, job, extras.cancels, cancelTerms);
  await cancels.plan();
  return cancels;
}

/** `earlier`: tries before this one that may have deleted the row so. */
async function completeAsCancelled(
  tables: Tables,
  job: LeasedJob,
  completion: TriedCompletion,
  { why, earlier }: { readonly why: CancelWhy; readonly earlier: number },
): Promise<Completed> {
  const outcome = await tables.write({ op: 'delete', table: 'jobs', key: idKey(job.id), condition: heldBy(job.lockOwner) });
  // A later request may have changed the reason.
  if (outcome.applied) return { ...finished([]), cancelled: true, why: whyOf(outcome.row) };
  return deletedByMe(outcome, earlier, job, completion) ? { ...finished([]), cancelled: true, why } : { result: 'lost' };
}

function finished(followUps: readonly NewJob[]): Finished {
  return { result: 'finished', cancelled: false, why: {}, followUps };
}

function historyWrites({ finished: ended, attempt, days }: NonNullable<Completion['history']>): Write[] {
  return [historyRow(ended, days), attemptRow(attempt, days)].map((row) => ({ op: 'put', table: 'history', row }));
}

function resultWrites(job: LeasedJob, { result }: CompletionExtras, now: number): Write[] {
  if (result === undefined) return [];
  return [{ op: 'put', table: 'control', row: resultRow(job, result.json, { now, until: now + result.keepMs }) }];
}

/**
 * Whether a delete that found no row was applied by an earlier request for the very same delete: only while my lease still lives,
 * because no other process deletes the row until then.
 */
function deletedByMe({ row, attempts }: WriteOutcome, earlier: number, job: LeasedJob, { now }: Completion): boolean {
  return row === undefined && attempts + earlier > 1 && now() < job.lockExpiresAt;
}
