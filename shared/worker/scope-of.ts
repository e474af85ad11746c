import type { LeasedJob } from '../core/job.ts';
import type { JobScope } from '../ports/job-scope.ts';

/** What jobs inherit that are enqueued on behalf of this one. */
export function scopeOf(job: LeasedJob): JobScope {
  return {
    id: job.id,
    chainDepth: job.chainDepth,
    priority: job.priority,
    lockOwner: job.lockOwner,
    ...(job.correlationId === undefined ? {} : { correlationId: job.correlationId }),
    ...(job.tenant === undefined ? {} : { tenant: job.tenant }),
    ...(job.traceparent === undefined ? {} : { traceparent: job.traceparent }),
    ...(job.group === undefined ? {} : { group: job.group }),
    ...(job.exclusive === undefined ? {} : { exclusive: job.exclusive }),
    ...(job.inheritGroup === undefined ? {} : { inheritGroup: job.inheritGroup }),
    ...(job.batch === undefined ? {} : { batch: job.batch, batchLeaf: job.batchLeaf ?? 0 }),
  };
}
