import type { Duration } from '../../../shared/job/duration.ts';
import type { Belongings } from '../../../shared/job/job.ts';
import type { CompleteOptions } from '../../../shared/job/job-type.ts';
import type { TraceContext } from '../../../shared/job/traceparent.ts';

/** A job locked for a foreign worker, with the trace context of its producer. */
export interface ExternalTask extends Belongings, Partial<TraceContext> {
  readonly id: string;
  /** Identifies this lock. Required by every answer to the task. */
  readonly token: string;
  readonly type: string;
  /** A text if `codec` says what encoded it. */
  readonly payload: unknown;
  /** The codec that encoded the payload, for a type that is not in `types`. */
  readonly codec?: string;
  /** The version of the payload's shape. */
  readonly schemaVersion: number;
  /** 1 the first time it is fetched. With `id` it makes side effects idempotent. */
  readonly attempt: number;
  readonly failures: number;
  readonly lockedUntil: Date;
  readonly priority: number;
}

/** `lost`: the lock had expired; nothing was written. `cancel-asked`: the lock was extended, but a cancel of the job was requested. */
export type LockAnswer = { readonly result: 'extended' | 'cancel-asked'; readonly lockedUntil: Date } | { readonly result: 'lost' };

/** How a task ended. `cancelled`: a cancel had been requested, which wins. `lost`: the lock had expired; nothing was written. */
export interface EndAnswer {
  readonly result: 'completed' | 'retried' | 'dead' | 'unlocked' | 'cancelled' | 'lost';
}

/** Details of a failed task. */
export interface ExternalFailure {
  readonly message: string;
  /** Name of the error, such as a code of your own; dead letters are grouped and found by it. Default `JobFailed`. */
  readonly name?: string;
  /** Where it happened, such as a stack; kept up to 4 KB. */
  readonly details?: string;
  /**
   * Remaining tries, which the job keeps: 0 makes it a dead letter, more retries it regardless of the policy. Default: those that an earlier
   * failure or an operator set, or else the policy decides.
   */
  readonly retries?: number;
  /** Delay until the retry. Default: the policy's delay. */
  readonly delay?: Duration;
}

/** What is written together with a completed task. */
export type ExternalCompletion = Pick<CompleteOptions, 'result' | 'keepResult' | 'enqueue' | 'cancel'>;

/** Lets foreign code fetch, lock and complete the jobs of one worker (Flowable's external worker, Camunda's external tasks). */
export interface External {
  /**
   * Returns at most `n` jobs, each locked for `lease`; an empty list if there are none within `wait` (at most 20 s, default 0). A job that was
   * locked before and never answered is returned alone.
   */
  fetchAndLock(n: number, lease: Duration, options?: { readonly wait?: Duration }): Promise<readonly ExternalTask[]>;
  /** Extends the lock of a task to `lease` from now. Never shortens it. */
  extendLock(id: string, token: string, lease: Duration): Promise<LockAnswer>;
  /**
   * Completes the job. `result` is kept for `waitForResult`, for a day or `keepResult`. In the same transaction the jobs of `enqueue`, made by
   * `followUp`, are created, and those of `cancel` are cancelled.
   */
  complete(id: string, token: string, options?: ExternalCompletion): Promise<EndAnswer>;
  fail(id: string, token: string, failure: ExternalFailure): Promise<EndAnswer>;
  /** Gives a job back unchanged; counts against nothing. */
  unlock(id: string, token: string): Promise<EndAnswer>;
}
