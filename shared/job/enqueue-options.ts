import type { Duration } from './duration.ts';
import type { GroupInput } from './group.ts';
import type { Instant } from './instant.ts';
import type { UniqueKey } from './key-conflict.ts';
import type { RetryInput } from './retry-policy.ts';

/** Options of one job. For children that are added through a batch, its options come before the defaults named here. */
export interface EnqueueOptions {
  /** How long from now until the job is due. Not together with `runAt`. */
  readonly delay?: Duration;
  /** When the job is due, at most 100 years ahead. A past time means now; a number that looks like epoch seconds is refused. */
  readonly runAt?: Instant;
  /** How long after its due time the job may start for the first time. Default: the type's. Not together with `startBy`. */
  readonly startWithin?: Duration;
  /**
   * The last instant at which the job may start for the first time; then `onExpiry` of its type applies. A reschedule moves it along; an
   * operator's `run-now` or redrive lifts it.
   */
  readonly startBy?: Instant;
  /**
   * Unique key within the type and tenant. While a job holds it, `enqueue` creates no second one and answers with the id of the first,
   * unless `onConflict` says otherwise.
   */
  readonly key?: UniqueKey;
  /**
   * Name of a group, whose jobs run one at a time. With `onFailure: 'block'` they also keep their order. Default: the type's group, then an
   * inherited one; with `inheritGroup: true` the other way round.
   */
  readonly group?: GroupInput;
  /**
   * If false, the group is only a label, and the job may run concurrently with others of its group. Refused with `onFailure: 'block'`. Default:
   * true, or with an inherited group that of the handler's job.
   */
  readonly exclusive?: boolean;
  /**
   * In a handler: the job joins the group of the handler's job, unless `group` is given, and passes it on. Default: the type's
   * `inheritGroup`, then whether the handler's job was made so.
   */
  readonly inheritGroup?: boolean;
  /** The tenant that the job belongs to. Default: that of a client made by `forTenant`, then that of the handler's job. */
  readonly tenant?: string;
  /** Higher is more urgent. Selects the lane, as `priority` of the type. Default: the type's, then the worker's, then 0. */
  readonly priority?: number;
  /** In a handler: the job gets the priority of the handler's job, unless `priority` is given. Default false. */
  readonly inheritPriority?: boolean;
  /** Ties jobs to one process of yours, for searches. Default: that of the handler's job. */
  readonly correlationId?: string;
  /**
   * The W3C trace context that the job belongs to, such as the header of a request. A text that is not valid is ignored. Default: that of
   * the current span if the client has `tracing`, then that of the handler's run, then that of the Lambda invocation.
   */
  readonly traceparent?: string;
  /** Passed on together with `traceparent`; dropped without it, and if it is not 1 to 512 printable ASCII characters. */
  readonly tracestate?: string;
  /** In a handler: `job.batch`, so that the job joins the batch of the handler's job, which then waits for it too. Not inherited. */
  readonly batch?: string;
  /**
   * An id of your own (see `client.newId`, `jobIdFrom`). It contains the due time: leave out `delay`, and `runAt` must agree. Enqueueing it again
   * with the same type and payload creates no second job while the first, or its entry in History, is there. With another type or payload, or
   * while the first is a dead letter, IdInUseError is thrown; a payload that a codec encoded, or that History does not keep, is not compared.
   */
  readonly id?: string;
  /** Retry policy of this job, instead of `retry` of the type. */
  readonly retry?: RetryInput;
}
