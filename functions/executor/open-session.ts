import { type AttemptEnd, type LoggedLine, logText } from '../../shared/job/attempt.ts';
import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { keepsAttempts } from '../../shared/job/history-level.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import { jobRef, type JournalEntry } from '../../shared/ports/journal.ts';
import { attemptRecord, historyLevel, keptInBatch } from './attempt-record.ts';
import type { ExecutorInvocation } from './invocation.ts';
import type { ExecutorDeps, AttemptSession, SessionEntry } from './deps.ts';

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
