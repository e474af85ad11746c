import { type Decision, decide } from '../../../shared/job/decide.ts';
import { defined } from '../../../shared/job/defined.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import { parseRetryPolicy, type RetryPolicy } from '../../../shared/job/retry-policy.ts';
import { askRetryFor } from './ask-hooks.ts';
import type { ExecutorDeps } from '../deps.ts';
import type { EndedAttempt } from '../record/attempt-record.ts';

/**
 * Decides about an attempt by the first policy that applies: the type's `retryFor` and `retryOn`, the job's own
 * `retry`, the type's, the worker's `retryFor`, the worker's. A policy function that throws must not
 * make an attempt unrecordable: it is skipped.
 */
export function decideAttempt(deps: ExecutorDeps, { type }: HandledJob, ended: EndedAttempt): Decision {
  const { job, outcome } = ended;
  const { isConflict } = deps;
  const byError = (retryFor: typeof deps.retryFor): RetryPolicy | undefined =>
    outcome.kind === 'threw' ? askRetryFor(deps, retryFor, job, outcome.error) : undefined;
  const chosen = byError(type.retryFor);
  const policy = {
    ...defined({ chosen }),
    retry: retryOf(job) ?? type.retry ?? byError(deps.retryFor) ?? deps.retry,
    retryOn: type.retryOn,
    ...(isConflict === undefined ? {} : { isConflict: (error: unknown) => quietly(() => isConflict(error)) === true }),
    ...(ended.unsettled ? { notBefore: job.lockExpiresAt } : {}),
  };
  return decide(job, outcome, policy, { now: ended.endedAt, random: deps.entropy.random() });
}

function retryOf(job: LeasedJob): RetryPolicy | undefined {
  const { retry } = job;
  return retry === undefined ? undefined : quietly(() => parseRetryPolicy(retry));
}

function quietly<Result>(work: () => Result): Result | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
