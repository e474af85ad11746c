import type { Duration } from './duration.ts';
import type { Instant } from './instant.ts';
import type { RetryInput } from './retry-policy.ts';

/** A unique key: until the job is finished, or with `for` during that time from now, finished or not. */
export type UniqueKey = string | { readonly value: string; readonly for: Duration };

/** Options of one job. What is absent comes from the type, then from the job in whose handler it is enqueued. */
export interface EnqueueOptions {
  /** Due after this long. Not together with `runAt`. */
  readonly delay?: Duration;
  /** Due at this time; the past means now, at most 100 years ahead. */
  readonly runAt?: Instant;
  /** Scope: type + tenant + key. A second job with a key that is taken is not created; its answer names the first. */
  readonly key?: UniqueKey;
  readonly group?: string;
  /** False: the group is only a label, and the job runs beside others of it. Default true. */
  readonly exclusive?: boolean;
  /** Within a handler: this job takes over the group of the handler's job, unless one is named, and passes it on. Default false. */
  readonly inheritGroup?: boolean;
  readonly tenant?: string;
  /** Higher is more urgent; says which lane of the worker runs the job. Default: the type's, then the worker's, then 0. */
  readonly priority?: number;
  /** Within a handler: as urgent as the handler's job, unless `priority` says otherwise. Default false. */
  readonly inheritPriority?: boolean;
  readonly correlationId?: string;
  /** Within a handler: this job joins the batch of the handler's job (`job.batch`), which then waits for it too. Never by itself. */
  readonly batch?: string;
  /** The caller's own id (see `client.newId`, `jobIdFrom`): enqueueing the same job twice under it creates it once. */
  readonly id?: string;
  /** Replaces the type's policy for this job. */
  readonly retry?: RetryInput;
}
