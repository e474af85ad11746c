import type { Duration } from './duration.ts';
import type { Instant } from './instant.ts';
import type { RetryInput } from './retry-policy.ts';

/** A unique key: until the job is finished, or with `for` during that time from now, finished or not. */
export type UniqueKey = string | { readonly value: string; readonly for: Duration };

/** Options of one job. What is absent comes from the type, then from the job in whose handler it is enqueued. */
export interface EnqueueOptions {
  /** How long from now until the job is due. Not together with `runAt`. */
  readonly delay?: Duration;
  /** When the job is due, at most 100 years ahead. A past time means now. */
  readonly runAt?: Instant;
  /** Unique key within the type and tenant. While a job holds the key, a second one is not created; the answer names the first. */
  readonly key?: UniqueKey;
  /** Jobs of one group never run at the same time. Default: the type's group. */
  readonly group?: string;
  /** If false, the group is only a label, and the job runs beside others of its group. Default true. */
  readonly exclusive?: boolean;
  /** In a handler: the job joins the group of the handler's job, unless `group` is given, and passes it on. Default false. */
  readonly inheritGroup?: boolean;
  /** The tenant that the job belongs to. Default: that of the handler's job, if there is one. */
  readonly tenant?: string;
  /** Higher is more urgent. Selects the lane of the worker. Default: the type's, then the worker's, then 0. */
  readonly priority?: number;
  /** In a handler: the job gets the priority of the handler's job, unless `priority` is given. Default false. */
  readonly inheritPriority?: boolean;
  /** Ties jobs to one process of yours, for searches and logs. Default: that of the handler's job. */
  readonly correlationId?: string;
  /** In a handler: `job.batch`, so that the job joins the batch of the handler's job, which then waits for it too. Never inherited. */
  readonly batch?: string;
  /** An id of your own (see `client.newId`, `jobIdFrom`). Enqueueing the same job twice under it creates the job once. */
  readonly id?: string;
  /** Retry policy of this job, instead of the type's. */
  readonly retry?: RetryInput;
}
