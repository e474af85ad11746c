import type { Duration } from '../../../shared/core/duration.ts';

/** A job that was handed to a foreign worker, locked for it. */
export interface ExternalTask {
  readonly id: string;
  /** Names this very lock: every answer to the task carries it. */
  readonly token: string;
  readonly type: string;
  readonly payload: unknown;
  /** 1 for the first time it is handed out; with `id` it makes outside effects idempotent. */
  readonly attempt: number;
  readonly failures: number;
  readonly lockedUntil: Date;
  readonly priority: number;
  readonly group?: string;
  readonly tenant?: string;
  readonly correlationId?: string;
}

/** `lost`: the lock had ended, and somebody else decides; nothing was written. `cancel-asked`: it is longer, but the job is to be stopped. */
export type LockAnswer = { readonly result: 'extended' | 'cancel-asked'; readonly lockedUntil: Date } | { readonly result: 'lost' };

/** How a task ended. `cancelled`: somebody had asked for it, and that wins. `lost`: the lock had ended; nothing was written. */
export interface EndAnswer {
  readonly result: 'completed' | 'retried' | 'dead' | 'unlocked' | 'cancelled' | 'lost';
}

/** What a failed task says. */
export interface ExternalFailure {
  readonly message: string;
  /** How many tries are left: 0 makes it a dead letter, more tries it again whatever the policy says. Default: the policy decides. */
  readonly retries?: number;
  /** When it is tried again, instead of the policy's delay. */
  readonly delay?: Duration;
}

/** Jobs of one worker for code that is not ours (Flowable's external worker, Camunda's external tasks): fetched, locked, answered. */
export interface External {
  /**
   * At most `n` jobs, each locked for `lease`; none when there are none within `wait` (at most 20 s, default 0). A job that was
   * locked before and not answered comes alone.
   */
  fetchAndLock(n: number, lease: Duration, options?: { readonly wait?: Duration }): Promise<readonly ExternalTask[]>;
  /** Locks a task for `lease` from now on; one that is locked for longer stays so. */
  extendLock(id: string, token: string, lease: Duration): Promise<LockAnswer>;
  /** The job is done. `result` is kept for `waitForResult`, for a day or `keepResult`. */
  complete(id: string, token: string, options?: { readonly result?: unknown; readonly keepResult?: Duration }): Promise<EndAnswer>;
  fail(id: string, token: string, failure: ExternalFailure): Promise<EndAnswer>;
  /** Gives a job back as it was; counts against nothing. */
  unlock(id: string, token: string): Promise<EndAnswer>;
}
