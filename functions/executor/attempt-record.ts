import type { AttemptEnd, AttemptOutcome, AttemptRecord } from '../../shared/job/attempt.ts';
import type { Decision, Outcome } from '../../shared/job/decide.ts';
import { defined } from '../../shared/job/defined.ts';
import { type HistoryLevel, keepsAttempts } from '../../shared/job/history-level.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';
import type { ExecutorDeps } from './deps.ts';

/** How an attempt ended. `unsettled`: the handler was aborted and still runs, so its process must not be used again. */
export interface Attempt {
  readonly outcome: Outcome;
  readonly unsettled: boolean;
  /** The job as stored after the run, which may have written progress. */
  readonly job?: LeasedJob;
  /** Additional writes of a completion, built in the job's context, so that follow-ups inherit from it. */
  readonly extras?: CompletionExtras;
}

/** A job after its attempt. */
export interface EndedAttempt {
  readonly job: LeasedJob;
  readonly outcome: Outcome;
  readonly startedAt: number;
  /** Revision of the row when it was claimed, which names the attempt in History. Default: the job's. */
  readonly claimedRev?: number;
  readonly requestId: string;
  /** When the attempt ended. Every try to record it writes the same instant. */
  readonly endedAt: number;
  /** Unique to the attempt and shared by all tries to record it, so that a try recognizes an earlier one whose reply was lost. */
  readonly token: string;
  /** The handler may still run: no retry before its lease ends. */
  readonly unsettled: boolean;
  /** Additional writes of a completion. */
  readonly extras?: CompletionExtras;
  /** The tries in all that the failure sets; the job has them already. */
  readonly triesLimit?: number;
}

/** Returns the history level of a job type: its own, or the deployment's. */
export function historyLevel({ deployment }: ExecutorDeps, { type }: HandledJob): HistoryLevel {
  return type.history ?? deployment.history;
}

/** Whether History gets the attempt in a batch. At level `durable` the transaction that ends a job also writes its last attempt. */
export function keptInBatch(level: HistoryLevel, { outcome }: AttemptEnd): boolean {
  return keepsAttempts(level) && !(level === 'durable' && (outcome === 'completed' || outcome === 'dead-lettered'));
}

/** The end of an attempt with its error. A dead letter also has its reason. */
export function attemptEnd(outcome: AttemptOutcome, decision: Decision): AttemptEnd {
  const { error } = 'error' in decision ? decision : {};
  const { reason } = outcome === 'dead-lettered' && decision.verb === 'bury' ? decision : {};
  return { outcome, ...defined({ error, reason }) };
}

/** One attempt as stored in History. */
export function attemptRecord(
  { deployment: { version } }: ExecutorDeps,
  {
    job,
    claimedRev = job.rev,
    startedAt,
    endedAt,
    requestId,
  }: Pick<EndedAttempt, 'job' | 'claimedRev' | 'startedAt' | 'endedAt' | 'requestId'>,
  { outcome, reason, error }: AttemptEnd,
): AttemptRecord {
  return {
    jobId: job.id,
    run: claimedRev,
    type: job.type,
    worker: job.worker,
    ...defined({ tenant: job.tenant }),
    attempt: job.starts,
    startedAt,
    endedAt,
    outcome,
    requestId,
    ...defined({ reason, error, version }),
  };
}
