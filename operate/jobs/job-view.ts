import type { PastError } from '../../shared/job/last-errors.ts';
import type { ShownError } from '../../shared/job/shown-error.ts';
import type { FinishedOutcome, JobState, PrioritySource } from '../../shared/job/job.ts';

/** A stored payload as the version of the code that this session has would read it: JSON text, or why it cannot be read. */
export interface LiftedPayload {
  readonly schemaVersion: number;
  readonly payload?: string;
  readonly problem?: string;
}

/**
 * A job as an operator sees it, in every state the same. Fields that belong to one state are absent in the others, and lists that an index serves
 * have its columns only: `kind`, `snoozes`, `dispatches`, `chainDepth` and what most jobs lack is in `find`.
 */
export interface JobView {
  readonly id: string;
  readonly type: string;
  readonly state: JobState;
  readonly kind?: 'async' | 'timer';
  readonly worker: string;
  readonly lane: string;
  readonly priority: number;
  readonly priorityFrom?: PrioritySource;
  readonly group?: string;
  /** False: the group is only a label. */
  readonly exclusive?: boolean;
  /** True: `onFailure: 'block'`, so that it holds the jobs behind it back until it has ended; only `find` says so. */
  readonly holdsBack?: true;
  readonly tenant?: string;
  readonly correlationId?: string;
  /** Its unique key; only `find` gives it. */
  readonly key?: string;
  /** Until when the key is held, for one that lasts for a stated time. */
  readonly keyExpiresAt?: Date;
  /** The W3C trace context of what enqueued it. */
  readonly traceparent?: string;
  readonly batch?: string;
  readonly callbackOf?: string;
  readonly schedule?: string;
  /** The nominal time of an occurrence of a schedule. */
  readonly nominalAt?: Date;
  /** A backfill enqueued this occurrence. */
  readonly backfill?: boolean;
  readonly dueAt: Date;
  readonly createdAt: Date;
  /** The last instant at which it may start for the first time; only `find` gives it. */
  readonly startBy?: Date;
  /** Claims: the attempt number that its handler saw last. */
  readonly attempts: number;
  readonly failures: number;
  /** Attempts whose process was killed while it ran only this job: the count for `crashLimit`. */
  readonly crashes: number;
  readonly snoozes?: number;
  readonly continuations?: number;
  readonly dispatches?: number;
  readonly chainDepth?: number;
  /** Grows with every write: an edit demands the one that it has seen. */
  readonly rev: number;
  /** Canonical text of a retry policy of its own. */
  readonly retry?: string;
  /** An operator's number of tries in all. */
  readonly triesLimit?: number;
  readonly runNow?: boolean;
  readonly progress?: number;
  readonly progressText?: string;
  readonly cancelRequested?: boolean;
  readonly cancelReason?: string;
  readonly cancelledBy?: string;
  /** Of the last failure; lists leave the stack out. */
  readonly error?: ShownError;
  /** The last five errors, the newest first, each cut to 80 bytes; only `find` gives them. */
  readonly lastErrors?: readonly PastError[];
  /** Ready and running: the holder of the lease and its end. */
  readonly lockOwner?: string;
  readonly lockExpiresAt?: Date;
  /** Parked: since when, and the partition of the limit, `limit#<hash>`; no limit for a job that waits for others of its group. */
  readonly parkedAt?: Date;
  readonly limit?: string;
  /** Suspended: the scope of the suspension, `no-handler#<type>`, `newer-version#<type>@<version>`, `unknown-codec#<type>@<codec>` or `breakpoint`; since when; why, for a breakpoint; when a missing handler is looked for again. */
  readonly cause?: string;
  readonly suspendedAt?: Date;
  readonly tryAt?: Date;
  /** Dead: why, a `DeadReason`. Suspended at a breakpoint: what the operator said. */
  readonly reason?: string;
  readonly failedAt?: Date;
  readonly fingerprint?: string;
  readonly requestId?: string;
  /** Finished. */
  readonly outcome?: FinishedOutcome;
  readonly startedAt?: Date;
  readonly finishedAt?: Date;
  /** JSON text, or what `codec` made of it; only `find` gives it, and for a finished job only at history level `full`. */
  readonly payload?: string;
  /** The codec that encoded `payload` and `handlerState`; a list by an index leaves it out. */
  readonly codec?: string;
  /** Of a payload that a claim check keeps outside the row: its object in the payload store, and its size as it is stored; only `find` gives it. */
  readonly claim?: { readonly key: string; readonly bytes: number };
  /** The version of the payload's shape, as it is stored; only `find` gives it. */
  readonly schemaVersion?: number;
  /** What its handler would get, where the admin knows the type (`jobs` of `createAdmin`) and the stored payload is encoded or has another version. */
  readonly lifted?: LiftedPayload;
  /** What an earlier run left with `continueWith`, JSON text or encoded; only `find` gives it. */
  readonly handlerState?: string;
  /** An unreadable row, as it was stored, or as JSON if it is still there; only returned by `find`. */
  readonly raw?: string;
  /** A dead letter of an unreadable row that this version reads: redrive runs it; only `find` says so. */
  readonly readable?: true;
}
