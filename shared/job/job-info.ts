import { defined } from './defined.ts';
import type { Job } from './job.ts';
import { lastErrors, type PastError } from './last-errors.ts';

/** The job as its handler sees it, without the payload text. `id` and `attempt` make side effects idempotent. */
export interface JobInfo {
  readonly id: string;
  readonly type: string;
  /**
   * 1 at first. A later run has a higher number, but one that continues after `continueWith` has the same. A claim that came to no run, or whose
   * process died, leaves a gap; a redrive starts again at 1.
   */
  readonly attempt: number;
  readonly failures: number;
  readonly snoozes: number;
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly group?: string;
  readonly tenant?: string;
  readonly correlationId?: string;
  /** The W3C trace context of the producer, to continue the trace. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly priority: number;
  readonly chainDepth: number;
  /** Runs before this one that ended with `continueWith`; 0 in the first. */
  readonly continuations: number;
  /**
   * The version of the payload as it was stored; the payload that a handler gets has the version of its code. After `continueWith` it is
   * the version of the code that wrote the state.
   */
  readonly schemaVersion: number;
  /** The batch that counts this job. */
  readonly batch?: string;
  /** The batch whose callback this job is: `client.batch(id)` returns its result. */
  readonly callbackOf?: string;
  /** The recurring schedule that made this job, and its nominal time. */
  readonly schedule?: string;
  readonly nominalAt?: Date;
  /** A backfill enqueued this occurrence. */
  readonly backfill?: true;
  /** Its last five errors, the newest first; absent in the first attempts, until one fails. */
  readonly lastErrors?: readonly PastError[];
}

/** The part of a job that its handler sees. */
export function jobInfo(job: Job): JobInfo {
  return {
    id: job.id,
    type: job.type,
    attempt: job.starts,
    failures: job.failures,
    snoozes: job.snoozes,
    dueAt: new Date(job.dueAt),
    createdAt: new Date(job.createdAt),
    ...defined({ group: job.group, tenant: job.tenant, correlationId: job.correlationId }),
    ...defined({ traceparent: job.traceparent, tracestate: job.tracestate }),
    priority: job.priority,
    chainDepth: job.chainDepth,
    continuations: job.continuations ?? 0,
    schemaVersion: job.schemaVersion,
    ...defined({ batch: job.batch, callbackOf: job.callbackOf, schedule: job.schedule, backfill: job.backfill }),
    ...(job.nominalAt === undefined ? {} : { nominalAt: new Date(job.nominalAt) }),
    ...(job.error === undefined ? {} : { lastErrors: lastErrors(job) }),
  };
}
