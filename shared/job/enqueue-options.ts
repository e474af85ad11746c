import type { Duration } from './duration.ts';
import type { GroupInput } from './group.ts';
import type { Instant } from './instant.ts';
import type { UniqueKey } from './key-conflict.ts';
import type { RetryInput } from './retry-policy.ts';

/** Options of one job. Defaults come from the type, then from the job in whose handler it is enqueued. */
export interface EnqueueOptions {
  /** How long from now until the job is due. Not together with `runAt`. */
  readonly delay?: Duration;
  /** When the job is due, at most 100 years ahead. A past time means now. */
  readonly runAt?: Instant;
  /**
   * How long after its due time the job may start for the first time; later `onExpiry` of its type applies. Default: the type's. Not together with
   * `startBy`.
   */
  readonly startWithin?: Duration;
  /** The last instant at which the job may start for the first time. */
  readonly startBy?: Instant;
  /**
   * Unique key within the type and tenant. While a job holds the key, a second one is not created, and the answer names the first; or
   * what `onConflict` says.
   */
  readonly key?: UniqueKey;
  /**
   * Jobs of one group run one at a time. With `onFailure: 'block'` they also keep their order. Default: the type's group, then an inherited
   * one.
   */
  readonly group?: GroupInput;
  /**
   * If false, the group is only a label, and the job may run concurrently with others of its group. Refused with `onFailure: 'block'`. Default:
   * true, or with an inherited group that of the handler's job.
   */
  readonly exclusive?: boolean;
  /** In a handler: the job joins the group of the handler's job, unless `group` is given, and passes it on. Default: the type's, or whether the handler's job was made so. */
  readonly inheritGroup?: boolean;
  /** The tenant that the job belongs to. Default: that of a client made by `forTenant`, then that of the handler's job. */
  readonly tenant?: string;
  /** Higher is more urgent. Selects the lane, as `priority` of the type. Default: the type's, then the worker's, then 0. */
  readonly priority?: number;
  /** In a handler: the job gets the priority of the handler's job, unless `priority` is given. Default false. */
  readonly inheritPriority?: boolean;
  /** Ties jobs to one process of yours, for searches and logs. Default: that of the handler's job. */
  readonly correlationId?: string;
  /**
   * The W3C trace context that the job belongs to, such as the header of a request. Values that are not valid are ignored, as the standard
   * asks. Default: that of the current span, then that of the handler's job, then that of the Lambda invocation.
   */
  readonly traceparent?: string;
  /** Passed on together with `traceparent`, up to 512 characters. Ignored without it. */
  readonly tracestate?: string;
  /** In a handler: `job.batch`, so that the job joins the batch of the handler's job, which then waits for it too. Never inherited. */
  readonly batch?: string;
  /**
   * An id of your own (see `client.newId`, `jobIdFrom`). Enqueueing the same job under it again creates no second one as long as the job, or
   * its entry in History, is there. Another job, and a dead letter, refuses it with IdInUseError.
   */
  readonly id?: string;
  /** Retry policy of this job, instead of `retry` of the type. */
  readonly retry?: RetryInput;
}
