import { pick } from './defined.ts';
import type { JobId } from './job-id.ts';
import type { LockOwner } from './lock-owner.ts';

/** A value of one attribute of a row. Rows are flat, so that an operator can read them in the AWS console. */
export type Scalar = string | number | boolean;

/** What is kept of the last error of a job; the texts are capped, `at` is epoch milliseconds. */
export interface JobError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly at: number;
}

/** A job in any state. Instants are epoch milliseconds; in rows they are ISO-8601. */
export interface Job {
  readonly id: JobId;
  readonly type: string;
  /** JSON text, or what its codec made of it; at most 256 KB. */
  readonly payload: string;
  /** The codec that encoded `payload` and `state`; absent: both are JSON text. */
  readonly codec?: string;
  /** `timer`: it was first due later than the delay horizon, so it was put in Timers. */
  readonly kind: 'async' | 'timer';
  readonly worker: string;
  readonly lane: string;
  /** Higher is more urgent; determines the lane. */
  readonly priority: number;
  /** The source of the priority; absent if it is the default. */
  readonly priorityFrom?: PrioritySource;
  readonly group?: string;
  /** False: the group is only a label, no lock is taken for it. */
  readonly exclusive?: boolean;
  /** Its place in the order of a group that a failure holds back; absent for any other group. */
  readonly groupPlace?: string;
  /** Jobs that its handler enqueues belong to its group, unless they name another. */
  readonly inheritGroup?: boolean;
  readonly tenant?: string;
  readonly correlationId?: string;
  readonly dueAt: number;
  readonly createdAt: number;
  /** The last instant at which it may start for the first time. */
  readonly startBy?: number;
  /** Canonical text of a retry policy that replaces the type's. */
  readonly retry?: string;
  readonly repeat?: string;
  /** Grows with every write; a verb that copies a row demands the one it has seen. */
  readonly rev: number;
  /** Claims. The attempt number a handler sees. */
  readonly starts: number;
  /** Handler failures: the only counter that the retry policy uses. */
  readonly failures: number;
  /** Leases that ran out under an executor that ran this job alone. */
  readonly crashes: number;
  /** It may have killed a process, so it runs alone next. In Jobs this is part of `lockOwner` instead. */
  readonly alone?: true;
  readonly snoozes: number;
  /** Writes that made the job ready; never reset, so that old hints can be recognized. */
  readonly dispatches: number;
  readonly chainDepth: number;
  /** The W3C trace context of what enqueued it. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly key?: string;
  /** Set for a key that lasts for a stated time; without it the key lasts until the job is finished. */
  readonly keyExpiresAt?: number;
  readonly error?: JobError;
  /** Its last five errors as text; see `last-errors.ts`. Absent for a job that never failed. */
  readonly lastErrors?: string;
  readonly schemaVersion: number;
  readonly cancelRequested?: boolean;
  /** What was given with the cancel. A request that finds an earlier one changes nothing; of two at one moment the last counts. */
  readonly cancelReason?: string;
  readonly cancelledBy?: string;
  /** The batch that counts this job, and the leaf of its counters that does. */
  readonly batch?: string;
  readonly batchLeaf?: number;
  /** The batch whose callback this job is. */
  readonly callbackOf?: string;
  /** The recurring schedule that made this job, and its nominal time; `dueAt` differs from that by jitter and retries. */
  readonly schedule?: string;
  readonly nominalAt?: number;
  /** A backfill enqueued this occurrence: it is a job like any other, and takes no turn of its schedule. */
  readonly backfill?: true;
  /** JSON text that an earlier run of this attempt left with `continueWith`, encoded as the payload is. */
  readonly state?: string;
  /** Runs that ended with `continueWith`; they count as no attempt. */
  readonly continuations?: number;
  /** Percentage and text that the handler last reported. */
  readonly progress?: number;
  readonly progressText?: string;
  /** An operator said to run this one although its type, tenant or group is suspended. */
  readonly runNow?: boolean;
  /** Rate limits for which a start is booked at `dueAt`, as text. */
  readonly booked?: string;
  /** The tries in all that an operator, or a failure of an external task, set instead of its policy's. */
  readonly triesLimit?: number;
  /** Attributes that a newer version wrote; they are carried along, never interpreted. */
  readonly extra?: Readonly<Record<string, Scalar>>;
}

/** What a job belongs to, as all that shows a job has it. */
export type Belongings = Pick<Job, 'group' | 'tenant' | 'correlationId'>;

/** What the job belongs to. */
export const belongingsOf = (job: Belongings): Belongings => pick(job, 'group', 'tenant', 'correlationId');

/** The sources of a priority: a later one in this list takes precedence over an earlier one. */
export type PrioritySource = 'worker' | 'tenant' | 'type' | 'option' | 'override' | 'set';

/** The counters of a job that never ran: a new one, and one that is redriven. `rev` and `dispatches` are never reset. */
export const FRESH_COUNTERS = { starts: 0, failures: 0, crashes: 0, snoozes: 0 } as const;

/** A row of Jobs: always leased, to its queue or to an executor, until `lockExpiresAt`. */
export interface LeasedJob extends Job {
  readonly lockOwner: LockOwner;
  readonly lockExpiresAt: number;
}

/** Why a job will not run again until an operator redrives it. `buried`: an operator moved it there. */
export type DeadReason =
  | 'retries-exhausted'
  | 'failed'
  | 'non-retryable'
  | 'crash-loop'
  | 'chain-limit'
  | 'unreadable'
  | 'buried'
  | 'expired';

/** A row of DeadLetters. An unreadable row is kept in `raw` and has an id of its own if none could be read. */
export interface DeadLetter extends Job {
  readonly reason: DeadReason;
  readonly failedAt: number;
  readonly fingerprint: string;
  readonly requestId?: string;
  readonly raw?: string;
}

/** A row of Suspended. `from` is the table it came from; a `no-handler` or `newer-version` row is tried again at `tryAt`, a breakpoint has a `reason`. */
export interface SuspendedJob extends Job {
  readonly cause: string;
  readonly suspendedAt: number;
  readonly from: 'jobs' | 'timers';
  readonly tryAt?: number;
  readonly tries?: number;
  readonly reason?: string;
}

/**
 * How a job ended; the vocabulary of History. `skipped`: an occurrence of a schedule that its policy or a pause kept from
 * starting. `expired`: it had not started in time.
 */
export type FinishedOutcome = 'completed' | 'cancelled' | 'skipped' | 'expired';

/** A row of History. */
export interface FinishedJob extends Omit<Job, 'payload'> {
  /** Only at history level `full`. */
  readonly payload?: string;
  readonly outcome: FinishedOutcome;
  readonly finishedAt: number;
  readonly startedAt?: number;
}

/** The state of a job, given by the table of its row and its lock owner. */
export type JobState = 'waiting' | 'parked' | 'ready' | 'running' | 'suspended' | 'dead' | 'finished';

/** The job, due at another time. The time in which it may start moves along. */
export function dueAgain<Kind extends Job>(job: Kind, dueAt: number): Kind {
  return { ...job, dueAt, ...(job.startBy === undefined ? {} : { startBy: job.startBy + dueAt - job.dueAt }) };
}

/**
 * Whether the job of an occurrence ran before: it is a retry, a continuation, or was redriven. `claims` is 1 for a job
 * that is claimed to start now. A claim whose process was killed before it checked the schedule counts, because it cannot
 * be distinguished from a run.
 */
export function ranBefore(
  { starts, continuations = 0, error }: Pick<Job, 'starts' | 'continuations' | 'error'>,
  claims: 0 | 1 = 0,
): boolean {
  return starts > claims || continuations > 0 || error !== undefined;
}

/** Whether a job is an occurrence of a schedule that never started; one that is tried again, or backfilled, is a job like any other. */
export function isOccurrence(job: Pick<Job, 'schedule' | 'backfill' | 'starts' | 'continuations' | 'error'>): boolean {
  return job.schedule !== undefined && job.backfill !== true && !ranBefore(job);
}

const MAY_BE_LATE = 'mayBeLate';

/** Allows the job to start at any delay: the missed policy of its schedule has been applied, or the job was held back and then released. */
export function allowLate<Kept extends Job>(job: Kept): Kept {
  return isOccurrence(job) ? { ...job, extra: { ...job.extra, [MAY_BE_LATE]: true } } : job;
}

/** Whether a job may start however late. */
export const mayBeLate = ({ extra }: Pick<Job, 'extra'>): boolean => extra?.[MAY_BE_LATE] === true;
