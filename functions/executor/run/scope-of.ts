import { defined } from '../../../shared/job/defined.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import type { JobScope } from '../../../shared/ports/job-scope.ts';

/** The attributes that follow-ups inherit from this job. */
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
      tracestate: job.tracestate,
      group: job.group,
      exclusive: job.exclusive,
      groupPlace: job.groupPlace,
      inheritGroup: job.inheritGroup,
    }),
    ...(job.batch === undefined ? {} : { batch: job.batch, batchLeaf: job.batchLeaf ?? 0 }),
  };
}
