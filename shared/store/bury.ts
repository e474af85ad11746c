import type { AttemptRecord } from '../job/attempt.ts';
import { defined } from '../job/defined.ts';
import { fingerprint } from '../job/fingerprint.ts';
import type { DeadLetter, DeadReason, Job, JobError, LeasedJob } from '../job/job.ts';
import { withError } from '../job/last-errors.ts';
import { dueAtOf, jobIdFrom } from '../job/job-id.ts';
import { keyToRelease } from '../job/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { attemptRow } from './attempt-rows.ts';
import { all, heldBy, leaseIs, noRow, revIs } from './conditions.ts';
import { releaseKey } from './control-rows.ts';
import { withoutLease } from './job-codec.ts';
import { endingWrites } from './endings.ts';
import { deadLetterRow, idKey } from './rows.ts';
import { type CancelAsked, type Lost, transactWhileLeased, type Plan } from './transact-while-leased.ts';

/** Why and with what a job is buried. */
export interface Burial {
  readonly reason: DeadReason;
  readonly error: JobError;
  /** New values of counters: those that the death itself raises, or `starts` without a claim that came to no attempt. */
  readonly counters?: { readonly starts?: number; readonly failures?: number; readonly crashes?: number };
  readonly requestId?: string;
  /** 0: no attempt ended so. Default: the attempt that the row counts. */
  readonly attempt?: 0;
  /** Durable history: its last attempt, written in the same transaction. */
  readonly history?: { readonly attempt: AttemptRecord; readonly days: number };
  /** `owner`: fenced by the holder of the lease, whenever it ends. Otherwise by the lease as it was read, which its owner may have renewed since. */
  readonly by?: 'owner';
}

/** A job that became a dead letter under `dead.id`. */
export type Buried =
  | { readonly result: 'dead'; readonly dead: DeadLetter }
  /** An operator changed the number of tries of a job that had none left; `job` is its row now. Nothing was written. */
  | { readonly result: 'edited'; readonly job: LeasedJob }
  | Lost
  | CancelAsked;

/**
 * Moves a job from Jobs to DeadLetters in one transaction, fenced by the lease that was seen and by `rev`, and frees its
 * unique key. If a dead letter with this id exists already (a caller used an id twice), the new one gets an id of its own,
 * so that neither overwrites the other.
 */
export async function bury(tables: Tables, job: LeasedJob, burial: Burial): Promise<Buried> {
  let releaseKey = true;
  let ownId = false;
  const fence = burial.by === 'owner' ? heldBy(job.lockOwner) : leaseIs(job.lockOwner, job.lockExpiresAt);
  const plan = (current: LeasedJob): Plan<Buried> => {
    if (burial.reason === 'retries-exhausted' && current.triesLimit !== job.triesLimit)
      return { instead: { result: 'edited', job: current } };
    if (burial.by !== 'owner' && current.lockExpiresAt !== job.lockExpiresAt) return { instead: { result: 'lost' } };
    const dead = deadLetterOf({ ...withoutLease(current), ...burial.counters }, burial, ownId);
    return {
      writes: {
        job: { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(fence, revIs(current.rev)) },
        dead: { op: 'put', table: 'deadLetters', row: deadLetterRow(dead), condition: noRow('id') },
        key: releaseKey ? keyRelease(current) : undefined,
        batch: endingWrites(current, 'failed'),
        attempt: burial.history && { op: 'put', table: 'history', row: attemptRow(burial.history.attempt, burial.history.days) },
      },
      result: { result: 'dead', dead },
    };
  };
  return transactWhileLeased(tables, job, plan, (refused) => {
    if (refused.failed('dead')) ownId = true;
    if (refused.failed('key')) releaseKey = false;
  });
}

/** How a dead letter ended. `fault` is the error that determines its error group. Default: `error`. */
export type DeathShown = Pick<Burial, 'error' | 'reason' | 'requestId' | 'attempt'> & { readonly fault?: JobError };

/** The dead letter that a job becomes, one revision later; with an id of its own where a dead letter has the job's already. */
export function deadLetterOf(job: Job, { error, reason, requestId, fault = error, attempt }: DeathShown, ownId: boolean): DeadLetter {
  return {
    ...job,
    id: ownId ? jobIdFrom(dueAtOf(job.id), `${job.id}/${job.rev}`) : job.id,
    rev: job.rev + 1,
    error,
    lastErrors: withError(job, error, attempt),
    reason,
    failedAt: error.at,
    fingerprint: fingerprint(job.type, fault),
    ...defined({ requestId }),
  };
}

/** Frees the unique key of a job that dies, unless it lasts for a stated time. */
export function keyRelease(job: Job): Write | undefined {
  const key = keyToRelease(job);
  return key === undefined ? undefined : releaseKey(key, job.id);
}
