import type { AttemptOutcome, AttemptRecord } from '../../shared/core/attempt.ts';
import { defined } from '../../shared/core/defined.ts';
import type { JobError } from '../../shared/core/job.ts';
import type { ExecutorDeps } from './deps.ts';
import type { Ended } from './ended.ts';

/** The attempt that ends its job, as the transaction that ends it writes it. */
export function durableAttempt(
  { deployment: { version } }: ExecutorDeps,
  { job, run = job.rev, startedAt, endedAt, requestId }: Ended,
  outcome: AttemptOutcome,
  why: { readonly error?: JobError; readonly reason?: string } = {},
): AttemptRecord {
  return {
    jobId: job.id,
    run,
    type: job.type,
    worker: job.worker,
    ...defined({ tenant: job.tenant }),
    attempt: job.starts,
    startedAt,
    endedAt,
    outcome,
    requestId,
    ...defined({ reason: why.reason, error: why.error, version }),
  };
}
