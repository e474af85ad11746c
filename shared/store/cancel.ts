import { joinParts } from '../core/hash.ts';
import type { FinishedJob, Job, LeasedJob } from '../core/job.ts';
import type { JobId } from '../core/job-id.ts';
import { keyToCancel } from '../core/unique-key.ts';
import type { Clock } from '../ports/clock.ts';
import type { Entropy } from '../ports/entropy.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { type CancelWhy, whyOf } from './cancel-why.ts';
import { all, heldBy, leaseIs, notRunning, revIs } from './conditions.ts';
import { withoutLease } from './job-codec.ts';
import { type Located, locate } from './locate.ts';
import { historyRow, idKey } from './rows.ts';
import { cancelFences, endingWrites } from './endings.ts';
import { transactEnding } from './transact-ending.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What a cancel found. `cancel-requested`: the job runs; whatever ends its run ends it as cancelled. */
export type CancelOutcome = 'cancelled' | 'cancel-requested' | 'dead' | 'finished' | 'not-found';

/** What a cancel needs besides the job. `token` is fresh for each call; without `historyDays` nothing is kept of the job. */
export interface CancelTerms extends CancelWhy {
  readonly token: string;
  readonly now: number;
  readonly historyDays?: number;
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
}

/**
 * Cancels a job wherever it lies: one transaction that deletes it if it does not run, frees its key and keeps it in History,
 * or a request if it runs and nobody asked yet. When the job moves in between, it is located anew; StoreUnavailableError when it
 * moves all the time. `first` saves the first look to whoever has the row already. One that was there and then nowhere has
 * finished, although History does not say how.
 */
export async function cancel(tables: Tables, id: JobId, terms: CancelTerms, first?: Located): Promise<Cancelled> {
  let seen = first;
  const attempt = async (look: number): Promise<Cancelled | typeof CHANGED> => {
    const found = look === 0 && first !== undefined ? first : await locate(tables, id);
    if (found === undefined) return { outcome: seen === undefined ? 'not-found' : 'finished' };
    if (found.state === 'dead' || found.state === 'finished') return { outcome: found.state, job: found.job };
    seen = found;
    if (found.state === 'running') {
      const asked = found.job.cancelRequested === true || (await requestCancel(tables, found.job, terms));
      return asked ? { outcome: 'cancel-requested', job: found.job } : CHANGED;
    }
    const unchanged = found.state === 'ready' ? all(notRunning, revIs(found.job.rev)) : revIs(found.job.rev);
    const remove: Write = { op: 'delete', table: found.table, key: found.key, condition: unchanged };
    const settle = found.state === 'waiting' ? await cancelFences(tables, found.job, terms.now) : [];
    const ended = await transactEnding(tables, {
      id,
      fences: [remove, ...settle],
      writes: [...endingWrites(found.job, 'cancelled'), ...historyOf(found.job, terms)],
      key: keyToCancel(found.job),
      token: `cancel/${id}/${terms.token}/${look}`,
    });
    return ended.applied ? { outcome: 'cancelled', job: found.job } : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('cancel'));
}

async function requestCancel(tables: Tables, job: LeasedJob, why: CancelWhy): Promise<boolean> {
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: { cancelRequested: true, ...whyOf(why) },
    add: { rev: 1 },
    condition: heldBy(job.lockOwner),
  });
  return outcome.applied;
}

/**
 * Ends a running job as cancelled and keeps it in History: its executor, or the sweeper once its lease ran out. The reason is the
 * row's where `job` has the request, and otherwise what the terms say. False when the lease is another's by now; a repeat under the
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
  const { payload: _payload, state: _state, error: _error, ...kept } = withoutLease(job);
  const finished: FinishedJob = { ...kept, ...whyOf(terms), outcome: 'cancelled', finishedAt: now };
  return [{ op: 'put', table: 'history', row: historyRow(finished, historyDays) }];
}
