import { joinParts } from '../job/hash.ts';
import type { FinishedJob, Job, LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { SingleWrite, Tables, Write } from '../ports/tables.ts';
import { type CancelWhy, whyOf } from './cancel-why.ts';
import { all, heldBy, leaseIs, notRunning, revIs } from './conditions.ts';
import { withoutLease } from './job-codec.ts';
import { type Living, type Located, locate } from './locate.ts';
import { historyRow, idKey } from './rows.ts';
import { cancelFences, endingWrites } from './endings.ts';
import { transactEnding } from './transact-ending.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** The result of a cancel. `cancel-requested`: the job is running; however its run ends, it ends as cancelled. */
export type CancelOutcome = 'cancelled' | 'cancel-requested' | 'dead' | 'finished' | 'not-found';

/** Terms of a cancel. `token` is fresh for each call; without `historyDays` nothing is kept of the job. */
export interface CancelTerms extends CancelWhy {
  readonly token: string;
  readonly now: number;
  readonly historyDays?: number;
  /** Asked after each look: false if the job that was found is not the one that is meant any more. Then nothing is cancelled. */
  readonly stillMeant?: () => Promise<boolean>;
  /** The same for each try to end one run; see `Ending`. */
  readonly leftOut?: Set<number>;
}

/** The terms under which a deployment cancels now. */
export function cancelTerms(deps: {
  readonly deployment: { readonly history: string; readonly settings: { readonly historyDays: number } };
  readonly clock: Clock;
  readonly entropy: Entropy;
}): CancelTerms {
  const { history, settings } = deps.deployment;
  const terms = { token: deps.entropy.token(), now: deps.clock.now() };
  return history === 'off' ? terms : { ...terms, historyDays: settings.historyDays };
}

const MAX_LOOKS = 5;

/** How a cancel ended; `job` as it was found last. */
export interface Cancelled {
  readonly outcome: CancelOutcome;
  readonly job?: Located['job'];
  /** Not cancelled, because another job is meant by now. */
  readonly notMeant?: true;
}

/**
 * Cancels a job in any state: one transaction that deletes it if it does not run, frees its key and keeps it in History,
 * or a request if it runs and has none yet. If the job moves in between, it is located again; StoreUnavailableError if it
 * keeps moving. `first` saves the first read if the caller has the row. A job that existed and is then in no table has
 * finished, even if History does not show how.
 */
export async function cancel(tables: Tables, id: JobId, terms: CancelTerms, first?: Located): Promise<Cancelled> {
  let seen = first;
  const attempt = async (look: number): Promise<Cancelled | typeof CHANGED> => {
    const found = look === 0 && first !== undefined ? first : await locate(tables, id);
    if (found === undefined) return { outcome: seen === undefined ? 'not-found' : 'finished' };
    if (found.state === 'dead' || found.state === 'finished') return { outcome: found.state, job: found.job };
    if ((await terms.stillMeant?.()) === false) return { outcome: 'not-found', notMeant: true };
    seen = found;
    return cancelFound(tables, found, terms, look);
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('cancel'));
}

/** One look of `cancel`: cancels a job as it was found, or CHANGED if it is not like that any more. */
export async function cancelFound(tables: Tables, found: Living, terms: CancelTerms, look = 0): Promise<Cancelled | typeof CHANGED> {
  const { job } = found;
  if (found.state === 'running') {
    const asked = found.job.cancelRequested === true || (await requestCancel(tables, found.job, terms));
    return asked ? { outcome: 'cancel-requested', job } : CHANGED;
  }
  const ended = await cancelIdle(tables, found, terms, { token: `cancel/${job.id}/${terms.token}/${look}` });
  return ended ? { outcome: 'cancelled', job } : CHANGED;
}

/**
 * Ends a job that does not run as cancelled, in one transaction with the writes that follow from it: its key is freed, its batch counts it, its schedule
 * continues, and History keeps it. False if it runs by now, or changed since it was found.
 */
export async function cancelIdle(
  tables: Tables,
  found: Living,
  terms: CancelTerms,
  { token, beside = [] }: { readonly token: string; readonly beside?: readonly Write[] },
): Promise<boolean> {
  const { job } = found;
  const { fences, writes } = await idleCancelWrites(tables, found, terms);
  const ended = await transactEnding(tables, { id: job.id, fences, writes: [...writes, ...beside], key: keyToCancel(job), token });
  return ended.applied;
}

/** What ends a job that does not run as cancelled, but for its key. `fences` demand that it is as it was found. */
export async function idleCancelWrites(
  tables: Tables,
  { state, table, key, job }: Living,
  terms: CancelTerms,
): Promise<{ readonly fences: readonly Write[]; readonly writes: readonly Write[] }> {
  const unchanged = state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev);
  const remove: Write = { op: 'delete', table, key, condition: unchanged };
  const settle = state === 'waiting' ? await cancelFences(tables, job, terms.now) : [];
  return { fences: [remove, ...settle], writes: [...endingWrites(job, 'cancelled'), ...historyOf(job, terms)] };
}

async function requestCancel(tables: Tables, job: LeasedJob, why: CancelWhy): Promise<boolean> {
  return (await tables.write(cancelRequestOf(job, why))).applied;
}

/** The request that stops a running job; refused when its lease is another one by now. */
export function cancelRequestOf(job: LeasedJob, why: CancelWhy): SingleWrite {
  return {
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: { cancelRequested: true, ...whyOf(why) },
    add: { rev: 1 },
    condition: heldBy(job.lockOwner),
  };
}

/**
 * Ends a running job as cancelled and keeps it in History: its executor, or the sweeper once its lease ran out. The reason is the
 * row's if `job` has the request, and otherwise the terms'. False if another process holds the lease by now; a repeat under the
 * same terms is true when an earlier one was applied.
 */
export async function endAsCancelled(tables: Tables, job: LeasedJob, by: 'owner' | 'sweeper', terms: CancelTerms): Promise<boolean> {
  const condition = by === 'owner' ? heldBy(job.lockOwner) : leaseIs(job.lockOwner, job.lockExpiresAt);
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition };
  const why = whyOf(job.cancelRequested === true ? job : terms);
  const ended = await transactEnding(tables, {
    id: job.id,
    fences: [remove],
    writes: [...endingWrites(job, 'cancelled'), ...historyOf(job, { ...terms, ...why })],
    key: keyToCancel(job),
    token: joinParts(['cancelled', job.id, job.lockOwner, terms.token, why.cancelReason ?? '', why.cancelledBy ?? '']),
    leftOut: terms.leftOut ?? new Set(),
  });
  return ended.applied;
}

function historyOf(job: Job, terms: CancelTerms): Write[] {
  const { now, historyDays } = terms;
  if (historyDays === undefined) return [];
  const { payload: _payload, codec: _codec, state: _state, error: _error, lastErrors: _past, ...kept } = withoutLease(job);
  const finished: FinishedJob = { ...kept, ...whyOf(terms), outcome: 'cancelled', finishedAt: now };
  return [{ op: 'put', table: 'history', row: historyRow(finished, historyDays) }];
}
