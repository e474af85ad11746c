import { defined } from './defined.ts';
import type { Job } from './job.ts';

/** What a handler learns of its job: no payload text, and `attempt`, which with `id` makes outside effects idempotent. */
export interface JobInfo {
  readonly id: string;
  readonly type: string;
  /** 1 for the first run; grows with every claim. */
  readonly attempt: number;
  readonly failures: number;
  readonly snoozes: number;
  readonly dueAt: Date;
  readonly createdAt: Date;
  readonly group?: string;
  readonly tenant?: string;
  readonly correlationId?: string;
  /** The W3C trace context of whoever enqueued it, to go on with the trace. */
  readonly traceparent?: string;
  readonly priority: number;
  readonly chainDepth: number;
  /** Runs before this one that ended with `continueWith`; 0 in the first. */
  readonly continuations: number;
  /** The batch that counts this job. */
  readonly batch?: string;
  /** The batch of which this job tells: `client.batch(id)` says how it went. */
  readonly callbackOf?: string;
  /** The recurring schedule that made this job, and the instant that it stands for. */
  readonly schedule?: string;
  readonly nominalAt?: Date;
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
    ...defined({ group: job.group, tenant: job.tenant, correlationId: job.correlationId, traceparent: job.traceparent }),
    priority: job.priority,
    chainDepth: job.chainDepth,
    continuations: job.continuations ?? 0,
    ...defined({ batch: job.batch, callbackOf: job.callbackOf, schedule: job.schedule }),
    ...(job.nominalAt === undefined ? {} : { nominalAt: new Date(job.nominalAt) }),
  };
}
