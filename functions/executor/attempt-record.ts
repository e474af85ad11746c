import { type AttemptEnd, type LoggedLine, logText, type AttemptOutcome, type AttemptRecord } from '../../shared/job/attempt.ts';
import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { keepsAttempts, type HistoryLevel } from '../../shared/job/history-level.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import { jobRef, type JournalEntry } from '../../shared/ports/journal.ts';
import type { ExecutorInvocation } from './invocation.ts';
import type { ExecutorDeps, AttemptSession, SessionEntry } from './deps.ts';
import type { Decision, Outcome } from '../../shared/job/decide.ts';
import type { CompletionExtras } from '../../shared/store/complete.ts';

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

const MAX_LINES = 1_000;

/** An open session of an attempt. Run and record the attempt with its `deps`. */
export interface OpenSession {
  readonly deps: ExecutorDeps;
  /** Adds the attempt to History and calls `onSession`. Must be called exactly once. */
  close(end: AttemptEnd): void;
}

/** Opens the session of an attempt. Collects nothing if neither History nor `onSession` needs it. */
export function openSession(invocation: ExecutorInvocation, handled: HandledJob, job: LeasedJob): OpenSession {
  const { deps } = invocation;
  const level = historyLevel(deps, handled);
  if (deps.onSession === undefined && !keepsAttempts(level)) return { deps, close: () => {} };
  const { clock, journal } = deps;
  const startedAt = clock.now();
  const entries: SessionEntry[] = [];
  let [lines, dropped] = [0, 0];
  const add = (line: LoggedLine): void => void (lines++ < MAX_LINES ? entries.push({ kind: 'log', ...line }) : dropped++);
  const listening: ExecutorDeps = {
    ...deps,
    journal: {
      ...journal,
      record: (entry) => {
        journal.record(entry);
        if (entry.job?.id === job.id) entries.push(eventOf(entry, clock.now()));
      },
      gauge: (gauge) => journal.gauge(gauge),
      flush: () => journal.flush(),
    },
    log: (ref) => tee(deps.log(ref), (level_, message, fields) => add({ at: clock.now(), level: level_, message, ...fields })),
  };
  return {
    deps: listening,
    close: (end) => {
      const { outcome } = end;
      const endedAt = clock.now();
      const { requestId } = invocation;
      if (keptInBatch(level, end)) {
        const log = level === 'full' ? { log: logText(linesOf(entries), dropped) } : {};
        invocation.history.push({ ...attemptRecord(deps, { job, startedAt, endedAt, requestId }, end), ...log });
      }
      const times = { startedAt: new Date(startedAt), endedAt: new Date(endedAt) };
      callListener(invocation, { job: jobRef(job), ...times, outcome, entries, dropped, requestId }, job);
    },
  };
}

function eventOf({ event, reason, error }: JournalEntry, at: number): SessionEntry {
  return { kind: 'event', at, event, ...defined({ reason, error }) };
}

function tee(log: JobLog, add: (level: LoggedLine['level'], message: string, fields: Pick<LoggedLine, 'fields'>) => void): JobLog {
  const both =
    (level: LoggedLine['level']) =>
    (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      add(level, message, fields === undefined ? {} : { fields });
      log[level](message, fields);
    };
  return { debug: both('debug'), info: both('info'), warn: both('warn'), error: both('error') };
}

function linesOf(entries: readonly SessionEntry[]): readonly LoggedLine[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'log') return [];
    const { kind: _kind, ...line } = entry;
    return [line];
  });
}

/** Calls `onSession`. If it throws or rejects, the error is journalled and changes nothing. */
function callListener({ deps, pending }: ExecutorInvocation, session: AttemptSession, job: LeasedJob): void {
  const failed = (error: unknown): void => {
    const known = errorText(error, deps.clock.now());
    deps.journal.record({ event: 'hook-failed', worker: job.worker, job: jobRef(job), reason: 'onSession', error: known });
  };
  try {
    const answer: unknown = deps.onSession?.(session);
    const settled = answer instanceof Promise ? answer.catch(failed) : undefined;
    if (settled !== undefined) pending?.push(settled);
  } catch (error) {
    failed(error);
  }
}
