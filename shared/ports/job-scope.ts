import { AsyncLocalStorage } from 'node:async_hooks';
import { pick } from '../job/defined.ts';
import { type Belongings, belongingsOf, type LeasedJob } from '../job/job.ts';
import type { TraceContext } from '../job/traceparent.ts';

/** The job whose handler is running: jobs that it enqueues inherit from it. */
export interface JobScope extends Belongings, Partial<TraceContext> {
  readonly id: string;
  readonly chainDepth: number;
  /** False: its group is only a label. */
  readonly exclusive?: boolean;
  /** Its place in the order of its group, if that has one. */
  readonly groupPlace?: string;
  /** What the handler enqueues takes over the group. */
  readonly inheritGroup?: boolean;
  readonly priority: number;
  /** The batch that counts it, by which leaf: what it enqueues may join it while this run holds the job. */
  readonly batch?: string;
  readonly batchLeaf?: number;
  readonly lockOwner?: string;
}

/** What the jobs that a job's handler enqueues inherit from it. */
export function scopeOf(job: LeasedJob): JobScope {
  return {
    ...belongingsOf(job),
    ...pick(job, 'id', 'chainDepth', 'priority', 'lockOwner', 'traceparent', 'tracestate', 'exclusive', 'groupPlace', 'inheritGroup'),
    ...(job.batch === undefined ? {} : { batch: job.batch, batchLeaf: job.batchLeaf ?? 0 }),
  };
}

const scope = new AsyncLocalStorage<JobScope>();

/** Runs `work` as part of a job. */
export function withinJob<Result>(job: JobScope, work: () => Result): Result {
  return scope.run(job, work);
}

/** The job that the present code belongs to, if any. */
export function currentJob(): JobScope | undefined {
  return scope.getStore();
}
