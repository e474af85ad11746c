import { iso } from '../job/instant.ts';
import type { JobError, LeasedJob, Scalar } from '../job/job.ts';
import { queueLeaseUntil } from '../job/lease.ts';
import { queueOwner, ranAlone } from '../job/lock-owner.ts';
import type { Tables } from '../ports/tables.ts';
import { whyOf } from './cancel-why.ts';
import { all, heldBy, notCancelled } from './conditions.ts';
import { decodeLeasedJob, encodeError } from './job-codec.ts';
import { idKey } from './rows.ts';
import type { CancelAsked, Lost } from './transact-while-leased.ts';

/** The job is ready again, or a cancel was requested; `job` is its current row. */
export type RunAgainResult =
  | { readonly result: 'ready'; readonly job: LeasedJob; readonly ambiguous: boolean }
  | Lost
  | (CancelAsked & { readonly job: LeasedJob });

/** Counters that this may raise, by one. */
export type Counter = 'failures' | 'snoozes' | 'continuations';

/** How the row changes of a job that will run again. Without `dueAt` it stays due as it was, which is now or earlier. */
export interface RunAgain {
  readonly dueAt?: number;
  readonly counts?: Counter;
  readonly error?: JobError;
  /** The run does not count as an attempt: `job.attempt` stays the same. */
  readonly sameAttempt?: boolean;
  /** Other attributes that change, as rows hold them: texts, numbers and flags, no instants. */
  readonly set?: Readonly<Record<string, Scalar>>;
  readonly remove?: readonly string[];
}

/** Whether the job goes back without having run: it keeps the mark that it may have killed a process. */
export const isUnstarted = ({ counts, error }: RunAgain): boolean => counts === undefined && error === undefined;

/** `token` is fresh for this write. */
export interface RunAgainTerms {
  readonly token: string;
  readonly now: number;
  readonly redispatchAfterMs: number;
}

/** Retry and snooze within the delay horizon, give back, continue: ready again by one conditional update, fenced by the lease. */
export async function runAgain(
  tables: Tables,
  job: Pick<LeasedJob, 'id' | 'lockOwner'>,
  change: RunAgain,
  terms: RunAgainTerms,
): Promise<RunAgainResult> {
  // An earlier attempt's stack must not be combined with this error.
  const remove = [...(change.remove ?? []), ...(change.error !== undefined && change.error.stack === undefined ? ['errorStack'] : [])];
  const owner = queueOwner(terms.token, 0, isUnstarted(change) && ranAlone(job.lockOwner));
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: {
      ...change.set,
      ...(change.dueAt === undefined ? {} : { dueAt: iso(change.dueAt) }),
      lockOwner: owner,
      lockExpiresAt: iso(queueLeaseUntil(terms.now, change.dueAt ?? terms.now, terms.redispatchAfterMs)),
      ...(change.error === undefined ? {} : encodeError(change.error)),
    },
    ...(remove.length > 0 ? { remove } : {}),
    add: {
      rev: 1,
      dispatches: 1,
      ...(change.counts === undefined ? {} : { [change.counts]: 1 }),
      ...(change.sameAttempt === true ? { starts: -1 } : {}),
    },
    condition: all(heldBy(job.lockOwner), notCancelled),
  });
  const { row } = outcome;
  if (row === undefined) return { result: 'lost' };
  if (outcome.applied || row['lockOwner'] === owner) return { result: 'ready', job: decodeLeasedJob(row), ambiguous: !outcome.applied };
  return row['lockOwner'] === job.lockOwner ? { result: 'cancel-asked', why: whyOf(row), job: decodeLeasedJob(row) } : { result: 'lost' };
}
