import { defined } from '../../shared/core/defined.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { JobScope } from '../../shared/ports/job-scope.ts';

/** What jobs inherit that are enqueued on behalf of this one. */
export function scopeOf(job: LeasedJob): JobScope {
  return {
    id: job.id,
    chainDepth: job.chainDepth,
    priority: job.priority,
    lockOwner: job.lockOwner,
    ...defined({
      correlationId: job.correlationId,
      tenant: job.tenant,
      traceparent: job.traceparent,
      group: job.group,
      exclusive: job.exclusive,
      inheritGroup: job.inheritGroup,
    }),
    ...(job.batch === undefined ? {} : { batch: job.batch, batchLeaf: job.batchLeaf ?? 0 }),
  };
}
