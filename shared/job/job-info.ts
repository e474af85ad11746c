import { pick } from './defined.ts';
import { type Belongings, belongingsOf, type Job } from './job.ts';
import { lastErrors, type PastError } from './last-errors.ts';
import type { TraceContext } from './traceparent.ts';

/** The job as its handler sees it, with the trace context of its producer and without the payload text. `id` and `attempt` make side effects idempotent. */
export interface JobInfo extends Belongings, Partial<TraceContext> {
  readonly id: string;
  readonly type: string;
  /**
   * 1 at first. A later run has a higher number, but one that continues after `continueWith` has the same. A claim whose process died or had too
   * little time left to run leaves a gap; a redrive starts again at 1.
   */
  readonly attempt: number;
  readonly failures: number;
  readonly snoozes: number;
  readonly dueAt: Date;
  readonly createdAt: Date;
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
    ...belongingsOf(job),
    ...pick(job, 'traceparent', 'tracestate'),
    priority: job.priority,
    chainDepth: job.chainDepth,
    continuations: job.continuations ?? 0,
    schemaVersion: job.schemaVersion,
    ...pick(job, 'batch', 'callbackOf', 'schedule', 'backfill'),
    ...(job.nominalAt === undefined ? {} : { nominalAt: new Date(job.nominalAt) }),
    ...(job.error === undefined ? {} : { lastErrors: lastErrors(job) }),
  };
}
