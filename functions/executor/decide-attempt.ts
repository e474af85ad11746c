import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { InvalidInputError, JobTimedOutError } from '../../shared/job/errors.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { RetryFor, Verdict, HandledJob } from '../../shared/job/job-type.ts';
import { jobInfo } from '../../shared/job/job-info.ts';
import { parseRetryPolicy, type RetryPolicy } from '../../shared/job/retry-policy.ts';
import { readVerdict } from '../../shared/job/verdict.ts';
import type { ExecutorDeps } from './deps.ts';
import { note } from './held-job.ts';
import type { Attempt, EndedAttempt } from './attempt-record.ts';
import { completionExtras } from './completion-extras.ts';
import { scopeOf, withinJob } from '../../shared/ports/job-scope.ts';
import { type Decision, decide } from '../../shared/job/decide.ts';

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

/** Calls `onError` for an attempt that threw. If it throws or returns something other than a verdict, that is journalled and ignored. */
export async function askOnError(deps: ExecutorDeps, job: LeasedJob, attempt: Attempt): Promise<Attempt> {
  const { onError } = deps;
  const { outcome } = attempt;
  if (onError === undefined || outcome.kind !== 'threw') return attempt;
  try {
    const answer: unknown = onError(outcome.error, jobInfo(job));
    if (answer === undefined) return attempt;
    const verdict = verdictOf(answer);
    const { options } = verdict.verdict === 'complete' ? verdict : {};
    const extras =
      options &&
      (await inTime(
        deps,
        withinJob(scopeOf(job), async () => completionExtras(deps, options)),
      ));
    const kept = verdict.verdict === 'fail' ? { error: outcome.error } : {};
    return { ...attempt, outcome: { kind: 'verdict', verdict, ...kept }, ...defined({ extras }) };
  } catch (error) {
    hookFailed(deps, job, 'onError', error);
    return attempt;
  }
}

/** The attempt's time is over: a follow-up schema that hangs must not use up the time left to record the attempt. */
async function inTime<Result>({ clock, deployment }: ExecutorDeps, work: Promise<Result>): Promise<Result> {
  const { abortGraceMs } = deployment.settings;
  const over = new AbortController();
  const late = clock.wait(abortGraceMs, over.signal).then((): never => {
    throw new JobTimedOutError(abortGraceMs);
  });
  return Promise.race([work, late]).finally(() => over.abort());
}

/** Unlike a handler, `onError` must return a verdict or undefined; a promise is refused. */
function verdictOf(answer: unknown): Verdict {
  const verdict = answer === null ? undefined : readVerdict(answer);
  if (verdict !== undefined) return verdict;
  throw new InvalidInputError('onError', answer, 'Return a verdict such as snooze(delay) or fail(reason), or undefined for the default.');
}

/** The policy that `retryFor` returns. If it throws or returns an invalid policy, that is journalled and counts as undefined. */
export function askRetryFor(deps: ExecutorDeps, retryFor: RetryFor | undefined, job: LeasedJob, thrown: unknown): RetryPolicy | undefined {
  if (retryFor === undefined) return undefined;
  try {
    const answer = retryFor(thrown, jobInfo(job));
    return answer === undefined ? undefined : parseRetryPolicy(answer, 'retryFor');
  } catch (error) {
    hookFailed(deps, job, 'retryFor', error);
    return undefined;
  }
}

/** Journals an error thrown by a user's hook. It must not affect the job. */
export function hookFailed(deps: ExecutorDeps, job: LeasedJob, hook: string, error: unknown): void {
  note(deps, job, 'hook-failed', { reason: hook, error: errorText(error, deps.clock.now()) });
}
