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

/** A job wherever it lies. Instants are epoch milliseconds; in rows they are ISO-8601. */
export interface Job {
  readonly id: JobId;
  readonly type: string;
  /** JSON text, at most 256 KB. */
  readonly payload: string;
  /** `timer`: it was first due later than the delay horizon, so it lay in Timers. */
  readonly kind: 'async' | 'timer';
  readonly worker: string;
  readonly lane: string;
  /** Higher is more urgent; says which lane the job goes to. */
  readonly priority: number;
  /** Who gave the priority; absent when nobody did. */
  readonly priorityFrom?: PrioritySource;
  readonly group?: string;
  /** False: the group is only a label, no lock is taken for it. */
  readonly exclusive?: boolean;
  /** What its handler enqueues belongs to its group, unless it says otherwise. */
  readonly inheritGroup?: boolean;
  readonly tenant?: string;
  readonly correlationId?: string;
  readonly dueAt: number;
  readonly createdAt: number;
  /** Canonical text of a retry policy that replaces the type's. */
  readonly retry?: string;
  readonly repeat?: string;
  /** Grows with every write; a verb that copies a row demands the one it has seen. */
  readonly rev: number;
  /** Claims. The attempt number a handler sees. */
  readonly starts: number;
  /** Handler failures: the only counter that the retry policy looks at. */
  readonly failures: number;
  /** Leases that ran out under an executor that ran this job alone. */
  readonly crashes: number;
  /** It may have killed a process, so it starts next with nothing beside it. A row of Jobs says so in its `lockOwner` instead. */
  readonly alone?: true;
  readonly snoozes: number;
  /** Writes that made the job ready; never reset, so that an older hint can be told from a newer. */
  readonly dispatches: number;
  readonly chainDepth: number;
  readonly traceparent?: string;
  readonly key?: string;
  /** Set for a key that lasts for a stated time; without it the key lasts until the job is finished. */
  readonly keyExpiresAt?: number;
  readonly error?: JobError;
  readonly schemaVersion: number;
  readonly cancelRequested?: boolean;
  /** What was given with the cancel: the first request of a running job counts. */
  readonly cancelReason?: string;
  readonly cancelledBy?: string;
  /** The batch that counts this job, and the leaf of its counters that does. */
  readonly batch?: string;
  readonly batchLeaf?: number;
  /** The batch of which this job tells: it is one of its callbacks. */
  readonly callbackOf?: string;
  /** The recurring schedule that made this job, and the instant that it stands for; `dueAt` differs from it by jitter and retries. */
  readonly schedule?: string;
  readonly nominalAt?: number;
  /** JSON text that an earlier run of this attempt left with `continueWith`. */
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
  /** An operator's number of tries in all, instead of its policy's. */
  readonly triesLimit?: number;
  /** Attributes that a newer version wrote; they are carried along, never interpreted. */
  readonly extra?: Readonly<Record<string, Scalar>>;
}

/** Who gave a job its priority: a later one in this list goes before an earlier one. */
export type PrioritySource = 'worker' | 'tenant' | 'type' | 'option' | 'override' | 'set';

/** The counters of a job that never ran: a new one, and one that is redriven. `rev` and `dispatches` are never reset. */
export const FRESH_COUNTERS = { starts: 0, failures: 0, crashes: 0, snoozes: 0 } as const;

/** A row of Jobs: always leased, to its queue or to an executor, until `lockExpiresAt`. */
export interface LeasedJob extends Job {
  readonly lockOwner: LockOwner;
  readonly lockExpiresAt: number;
}

/** Why a job will not be tried again until an operator says so. `buried`: an operator moved it there. */
export type DeadReason = 'retries-exhausted' | 'failed' | 'non-retryable' | 'crash-loop' | 'chain-limit' | 'unreadable' | 'buried';

/** A row of DeadLetters. An unreadable row is kept in `raw` and has an id of its own if none could be read. */
export interface DeadLetter extends Job {
  readonly reason: DeadReason;
  readonly failedAt: number;
  readonly fingerprint: string;
  readonly requestId?: string;
  readonly raw?: string;
}

/** A row of Suspended. `from` is the table it came from; a `no-handler` row is tried again at `tryAt`, a breakpoint has a `reason`. */
export interface SuspendedJob extends Job {
  readonly cause: string;
  readonly suspendedAt: number;
  readonly from: 'jobs' | 'timers';
  readonly tryAt?: number;
  readonly tries?: number;
  readonly reason?: string;
}

/** How a job ended; the vocabulary of History. `skipped`: an occurrence of a schedule that its policy or a pause kept from starting. */
export type FinishedOutcome = 'completed' | 'cancelled' | 'skipped';

/** A row of History. */
export interface FinishedJob extends Omit<Job, 'payload'> {
  /** Only at history level `full`. */
  readonly payload?: string;
  readonly outcome: FinishedOutcome;
  readonly finishedAt: number;
  readonly startedAt?: number;
}

/** Where a job is in its life: the state is where its row lies and who holds it. */
export type JobState = 'waiting' | 'parked' | 'ready' | 'running' | 'suspended' | 'dead' | 'finished';

/**
 * Whether the job of an occurrence ran before: it is tried again, goes on with its state, or was redriven. `claims` is 1 for a job
 * that is claimed for a start of its own. A claim whose process was killed before it looked at the schedule counts, because nobody can
 * tell it from a run.
 */
export function ranBefore(
  { starts, continuations = 0, error }: Pick<Job, 'starts' | 'continuations' | 'error'>,
  claims: 0 | 1 = 0,
): boolean {
  return starts > claims || continuations > 0 || error !== undefined;
}

/** Whether a job is an occurrence of a schedule that never started; one that is tried again is a job like any other. */
export function isOccurrence(job: Pick<Job, 'schedule' | 'starts' | 'continuations' | 'error'>): boolean {
  return job.schedule !== undefined && !ranBefore(job);
}
