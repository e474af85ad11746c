import type { AttemptOutcome, AttemptRecord } from '../core/attempt.ts';
import type { JobError } from '../core/job.ts';
import type { ExecutorParts } from './parts.ts';
import type { Ended } from './record.ts';

/** The attempt that ends its job, as the transaction that ends it writes it. */
export function durableAttempt(
  { deployment: { version } }: ExecutorParts,
  { job, run = job.rev, startedAt, endedAt, requestId }: Ended,
  outcome: AttemptOutcome,
  why: { readonly error?: JobError; readonly reason?: string } = {},
): AttemptRecord {
  return {
    jobId: job.id,
    run,
    type: job.type,
    worker: job.worker,
    ...(job.tenant === undefined ? {} : { tenant: job.tenant }),
    attempt: job.starts,
    startedAt,
    endedAt,
    outcome,
    requestId,
    ...(why.reason === undefined ? {} : { reason: why.reason }),
    ...(why.error === undefined ? {} : { error: why.error }),
    ...(version === undefined ? {} : { version }),
  };
}
