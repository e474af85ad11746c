import { MAX_DURATION_MS } from './duration.ts';
import { ChainLimitError, causeChain, CrashLoopError, InvalidVerdictError, NonRetryableError, RetryAfterError } from './errors.ts';
import { errorText } from './error-text.ts';
import type { DeadReason, Job, JobError } from './job.ts';
import { type RetryPolicy, retryDelayMs } from './retry-policy.ts';
import type { Verdict } from './job-type.ts';

/** How an attempt ended, before the decision. */
export type Outcome =
  /** `error`: what the handler threw, if `onError` gave the verdict. A failure records this error. */
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly error?: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  | { readonly kind: 'no-time' };

/** The rules that a decision follows. `notBefore` delays a retry whose old attempt may still be alive. */
export interface DecisionPolicy {
  readonly retry: RetryPolicy;
  /** The policy that the type's `retryFor` chose for this error. Overrides `retryOn`. */
  readonly chosen?: RetryPolicy;
  readonly retryOn?: ReadonlyMap<string, RetryPolicy>;
  readonly isConflict?: (error: unknown) => boolean;
  readonly notBefore?: number;
}

/** Time and chance of a decision: epoch milliseconds, and a number uniform in [0, 1). */
export interface Moment {
  readonly now: number;
  readonly random: number;
}

/** What to write. Named like the verbs of the transition table; the store applies it and decides nothing. */
export type Decision =
  | { readonly verb: 'complete' }
  | { readonly verb: 'give-back' }
  /** The same attempt continues in another run, from `state` (JSON text). */
  | { readonly verb: 'continue'; readonly state: string }
  | { readonly verb: 'retry'; readonly dueAt: number; readonly counted: boolean; readonly error: JobError }
  | { readonly verb: 'snooze'; readonly dueAt: number }
  | { readonly verb: 'bury'; readonly reason: DeadReason; readonly error: JobError };

/** A retry that does not count has no limit, so its delay grows with the starts, and a permanent conflict does not become a hot loop. */
const conflictDelayMs = (starts: number): number => Math.min(2_000 * 2 ** Math.min(Math.max(starts - 1, 0), 10), 300_000);
/** As above, for a handler that snoozes for zero time. */
const MIN_SNOOZE_MS = 1_000;

/**
 * Decides what becomes of a job after an attempt. Pure: time and chance are handed in.
 * Only failures count against the policy; conflicts, snoozing and running out of time do not (Camunda 7's rule).
 */
export function decide(job: Job, outcome: Outcome, policy: DecisionPolicy, { now, random }: Moment): Decision {
  const after = (delayMs: number): number => Math.max(now + Math.floor(Math.min(delayMs, MAX_DURATION_MS)), policy.notBefore ?? 0);
  switch (outcome.kind) {
    case 'no-time':
      return { verb: 'give-back' };
    case 'threw':
      return decideFailure(job, outcome.error, policy, { now, random, after });
    case 'verdict': {
      const { verdict } = outcome;
      if (verdict.verdict === 'complete') return { verb: 'complete' };
      if (verdict.verdict === 'continue') return { verb: 'continue', state: verdict.state };
      if (verdict.verdict === 'snooze') return { verb: 'snooze', dueAt: after(Math.max(verdict.delayMs, MIN_SNOOZE_MS)) };
      const error =
        outcome.error === undefined
          ? { name: 'JobFailed', message: errorText(new Error(verdict.reason), now).message, at: now }
          : errorText(outcome.error, now);
      if (!verdict.retry) return { verb: 'bury', reason: 'failed', error };
      return retryOrBury({ job, error, retry: policy.retry, askedMs: verdict.retryAfterMs, random }, after);
    }
  }
}

interface DecisionContext extends Moment {
  readonly after: (delayMs: number) => number;
}

function decideFailure(job: Job, thrown: unknown, policy: DecisionPolicy, { now, random, after }: DecisionContext): Decision {
  const error = errorText(thrown, now);
  const chain = causeChain(thrown).filter(canBeRead);
  if (chain.some((link) => link instanceof ChainLimitError)) return { verb: 'bury', reason: 'chain-limit', error };
  if (chain.some((link) => link instanceof NonRetryableError || link instanceof InvalidVerdictError))
    return { verb: 'bury', reason: 'non-retryable', error };
  const asked = chain.find((link): link is RetryAfterError => link instanceof RetryAfterError);
  if (asked === undefined && chain.some((link) => isOptimisticConflict(link) || policy.isConflict?.(link) === true)) {
    return { verb: 'retry', counted: false, dueAt: after(Math.floor(random * conflictDelayMs(job.starts))), error };
  }
  const named = chain.flatMap((link) => (link instanceof Error ? [policy.retryOn?.get(link.name)] : [])).find(Boolean);
  return retryOrBury({ job, error, retry: policy.chosen ?? named ?? policy.retry, askedMs: asked?.retryAfterMs, random }, after);
}

/** A foreign getter or proxy may throw on any access; such a link is ignored, and must not prevent the decision. */
function canBeRead(link: unknown): boolean {
  try {
    return !(link instanceof Error) || typeof link.name === 'string';
  } catch {
    return false;
  }
}

interface Failure {
  readonly job: Job;
  readonly error: JobError;
  readonly retry: RetryPolicy;
  /** A delay that the handler or its error asked for; it replaces the policy's, never its number of tries. */
  readonly askedMs: number | undefined;
  readonly random: number;
}

function retryOrBury(failure: Failure, after: (delayMs: number) => number): Decision {
  const { job, retry } = failure;
  const policy = job.triesLimit === undefined ? retry : { ...retry, tries: job.triesLimit };
  const byPolicy = retryDelayMs(policy, job.failures + 1, failure.random);
  if (byPolicy === undefined) return { verb: 'bury', reason: 'retries-exhausted', error: failure.error };
  return { verb: 'retry', counted: true, dueAt: after(failure.askedMs ?? byPolicy), error: failure.error };
}

const CONFLICTS = new Set([
  'ConditionalCheckFailedException',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ItemsRefusedError',
]);

/** DynamoDB's optimistic-lock conflicts: another writer was faster, the job itself is fine. */
export function isOptimisticConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (CONFLICTS.has(error.name)) return true;
  if (error.name !== 'TransactionCanceledException' || !('CancellationReasons' in error)) return false;
  const reasons: unknown = error.CancellationReasons;
  const codes = (Array.isArray(reasons) ? reasons : [])
    .map((reason: { readonly Code?: unknown } | null | undefined) => reason?.Code ?? 'None')
    .filter((code) => code !== 'None');
  return codes.length > 0 && codes.every((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict');
}

/** Decides what the sweeper or the next claim does with a running job whose lease expired. */
export type CrashDecision =
  | { readonly verb: 'cancel' }
  | { readonly verb: 'bury'; readonly reason: 'crash-loop'; readonly error: JobError; readonly crashes: number }
  | { readonly verb: 'run-again'; readonly crashes: number };

/** Only a crash of a job that ran alone counts, so that a poison job does not take its neighbours along. */
export function decideCrash(job: Job, aloneWhenItDied: boolean, crashLimit: number, now: number): CrashDecision {
  if (job.cancelRequested === true) return { verb: 'cancel' };
  const crashes = job.crashes + (aloneWhenItDied ? 1 : 0);
  if (crashes >= crashLimit) return { verb: 'bury', reason: 'crash-loop', crashes, error: errorText(new CrashLoopError(crashes), now) };
  return { verb: 'run-again', crashes };
}
