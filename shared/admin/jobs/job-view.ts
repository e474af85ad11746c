import type { ShownError } from '../../features/history/model/history-entry.ts';
import type { FinishedOutcome, JobState, PrioritySource } from '../../core/job.ts';

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
  readonly tenant?: string;
  readonly correlationId?: string;
  readonly batch?: string;
  readonly callbackOf?: string;
  readonly schedule?: string;
  /** The instant that an occurrence of a schedule stands for. */
  readonly nominalAt?: Date;
  readonly dueAt: Date;
  readonly createdAt: Date;
  /** Claims: the attempt number that its handler saw last. */
  readonly attempts: number;
  readonly failures: number;
  /** Of the attempts whose process was killed, those in which it ran this job alone: what `crashLimit` counts. */
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
  /** Ready and running: who holds the lease, until when. */
  readonly lockOwner?: string;
  readonly lockExpiresAt?: Date;
  /** Parked: since when, and the partition of the limit, `limit#<hash>`. */
  readonly parkedAt?: Date;
  readonly limit?: string;
  /** Suspended: the scope of the suspension, `no-handler#<type>` or `breakpoint`; since when; why, for a breakpoint; when a missing handler is looked for again. */
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
  /** JSON text; only `find` gives it, and for a finished job only at history level `full`. */
  readonly payload?: string;
  /** What an earlier run left with `continueWith`, JSON text; only `find` gives it. */
  readonly handlerState?: string;
  /** An unreadable row, as it lay there, or as JSON where it still lies; only `find` gives it. */
  readonly raw?: string;
}
