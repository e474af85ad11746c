import type { ShownError } from '../../../job/shown-error.ts';
import type { AttemptOutcome, AttemptRecord } from '../../../job/attempt.ts';
import { defined, pick } from '../../../job/defined.ts';
import { type Belongings, belongingsOf, type FinishedJob, type FinishedOutcome, type JobError } from '../../../job/job.ts';

/** One attempt of a job, as users see it. */
export interface AttemptEntry {
  /** The number that the handler saw; runs that continue after `continueWith` share it, and a redrive starts again at 1. */
  readonly attempt: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: AttemptOutcome;
  readonly reason?: string;
  readonly error?: ShownError;
  readonly requestId: string;
  readonly version?: string;
  /** The handler's log lines, at level `full`; an entry `{ missing: n }` stands for lines that did not fit. */
  readonly log?: readonly unknown[];
}

/** A finished job, as users see it. */
export interface FinishedEntry extends Belongings {
  readonly id: string;
  readonly type: string;
  readonly outcome: FinishedOutcome;
  readonly dueAt: Date;
  readonly startedAt?: Date;
  readonly finishedAt: Date;
  /** Runs of its handler that counted as an attempt, those whose process was killed included. */
  readonly attempts: number;
  readonly failures: number;
  /** Attempts whose process was killed while it ran only this job. */
  readonly crashes: number;
  readonly batch?: string;
  readonly schedule?: string;
  /** At level `full`: the payload's JSON text, or what `codec` made of it. */
  readonly payload?: string;
  /** The codec that encoded the payload. */
  readonly codec?: string;
}

/** What History keeps of one job. `finished` is absent while the job lives, and for a dead letter. */
export interface JobHistory {
  readonly id: string;
  readonly finished?: FinishedEntry;
  /** In the order in which they ran; only at the levels that keep attempts. An attempt whose process was killed leaves a gap in the numbers. */
  readonly attempts: readonly AttemptEntry[];
}

/** A row of History for users. */
export function finishedEntry(job: FinishedJob): FinishedEntry {
  return {
    id: job.id,
    type: job.type,
    outcome: job.outcome,
    dueAt: new Date(job.dueAt),
    finishedAt: new Date(job.finishedAt),
    attempts: job.starts,
    failures: job.failures,
    crashes: job.crashes,
    ...(job.startedAt === undefined ? {} : { startedAt: new Date(job.startedAt) }),
    ...belongingsOf(job),
    ...pick(job, 'batch', 'schedule', 'payload', 'codec'),
  };
}

/** An attempt's row for users. */
export function attemptEntry({ attempt, outcome, requestId, reason, version, ...record }: AttemptRecord): AttemptEntry {
  return {
    attempt,
    startedAt: new Date(record.startedAt),
    endedAt: new Date(record.endedAt),
    outcome,
    requestId,
    ...defined({ reason, version }),
    ...(record.error === undefined ? {} : { error: shownError(record.error) }),
    ...(record.log === undefined ? {} : { log: readLog(record.log) }),
  };
}

function shownError({ name, message, stack, at }: JobError): ShownError {
  return { name, message, ...defined({ stack }), at: new Date(at) };
}

/** An edited or damaged row must not make the history of a job unreadable. */
function readLog(text: string): readonly unknown[] {
  try {
    const lines: unknown = JSON.parse(text);
    return Array.isArray(lines) ? lines : [text];
  } catch {
    return [text];
  }
}
