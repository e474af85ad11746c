import type { AttemptEnd, AttemptOutcome, AttemptRecord } from '../../shared/core/attempt.ts';
import type { Decision } from '../../shared/core/decide.ts';
import { defined } from '../../shared/core/defined.ts';
import type { HistoryLevel } from '../../shared/core/history-level.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import type { ExecutorDeps } from './deps.ts';
import type { Ended } from './ended.ts';

/** Returns the history level of a job type: its own, or the deployment's. */
export function historyLevel({ deployment }: ExecutorDeps, { type }: HandledJob): HistoryLevel {
  return type.history ?? deployment.history;
}

/** The end of an attempt with the error that was decided on. A dead letter also has its reason. */
export function attemptEnd(outcome: AttemptOutcome, decision: Decision): AttemptEnd {
  const { error } = 'error' in decision ? decision : {};
  const { reason } = outcome === 'dead-lettered' && decision.verb === 'bury' ? decision : {};
  return { outcome, ...defined({ error, reason }) };
}

/** One attempt as History keeps it. */
export function attemptRecord(
  { deployment: { version } }: ExecutorDeps,
  { job, run = job.rev, startedAt, endedAt, requestId }: Pick<Ended, 'job' | 'run' | 'startedAt' | 'endedAt' | 'requestId'>,
  { outcome, reason, error }: AttemptEnd,
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
    ...defined({ reason, error, version }),
  };
}
