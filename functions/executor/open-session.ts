import { type AttemptOutcome, type AttemptRecord, type LoggedLine, logText } from '../../shared/core/attempt.ts';
import { defined } from '../../shared/core/defined.ts';
import { errorText } from '../../shared/core/error-text.ts';
import { type HistoryLevel, keepsAttempts } from '../../shared/core/history-level.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob, JobLog } from '../../shared/core/job-type.ts';
import { jobRef, type JournalEntry } from '../../shared/ports/journal.ts';
import type { Batch } from './batch.ts';
import type { ExecutorDeps } from './deps.ts';
import type { AttemptSession, SessionEntry } from './session.ts';

const MAX_LINES = 1_000;
const ENDS: ReadonlySet<string> = new Set<AttemptOutcome>([
  'completed',
  'retried',
  'snoozed',
  'continued',
  'given-back',
  'dead-lettered',
  'cancelled',
  'lost-lease',
]);

/** What is kept of jobs of a type: the type's own level, or the deployment's. */
export function historyLevel({ deployment }: ExecutorDeps, { type }: HandledJob): HistoryLevel {
  return type.history ?? deployment.history;
}

/** An attempt that is being listened to: `deps` are those to run and record it with. */
export interface OpenSession {
  readonly deps: ExecutorDeps;
  /** Hands out what was gathered; called once, however the attempt ended. */
  close(): void;
}

/** Listens to an attempt, where History or `onSession` wants to know of it; otherwise nothing is gathered. */
export function openSession(batch: Batch, handled: HandledJob, job: LeasedJob): OpenSession {
  const { deps } = batch;
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
    close: () => {
      const last = entries.findLast((entry) => entry.kind === 'event' && ENDS.has(entry.event));
      const outcome = last?.kind === 'event' ? (last.event as AttemptOutcome) : 'unrecorded';
      const session = { job: jobRef(job), startedAt: new Date(startedAt), endedAt: new Date(clock.now()), outcome, entries, dropped };
      if (keepsAttempts(level) && !(level === 'durable' && inTransaction(outcome))) {
        batch.history.push(recordOf(deps, job, { ...session, requestId: batch.requestId }, level));
      }
      tell(batch, { ...session, requestId: batch.requestId }, job);
    },
  };
}

/** At level `durable` an attempt that ends its job is written by the transaction that does. */
const inTransaction = (outcome: AttemptOutcome): boolean => outcome === 'completed' || outcome === 'dead-lettered';

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

function recordOf(deps: ExecutorDeps, job: LeasedJob, session: AttemptSession, level: HistoryLevel): AttemptRecord {
  const { entries, outcome } = session;
  const error = entries.findLast((entry) => entry.kind === 'event' && entry.error !== undefined);
  const reason = entries.findLast((entry) => entry.kind === 'event' && entry.event === outcome);
  const { version } = deps.deployment;
  return {
    jobId: job.id,
    run: job.rev,
    type: job.type,
    worker: job.worker,
    ...defined({ tenant: job.tenant }),
    attempt: job.starts,
    startedAt: session.startedAt.getTime(),
    endedAt: session.endedAt.getTime(),
    outcome,
    requestId: session.requestId,
    ...(reason?.kind !== 'event' || reason.reason === undefined ? {} : { reason: reason.reason }),
    ...(error?.kind !== 'event' || error.error === undefined ? {} : { error: error.error }),
    ...defined({ version }),
    ...(level === 'full' ? { log: logText(linesOf(entries), session.dropped) } : {}),
  };
}

function linesOf(entries: readonly SessionEntry[]): readonly LoggedLine[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== 'log') return [];
    const { kind: _kind, ...line } = entry;
    return [line];
  });
}

/** A listener that throws, now or later, is journalled and changes nothing. */
function tell({ deps, pending }: Batch, session: AttemptSession, job: LeasedJob): void {
  const failed = (error: unknown): void => {
    const known = errorText(error, deps.clock.now());
    deps.journal.record({ event: 'hook-failed', worker: job.worker, job: jobRef(job), reason: 'onSession', error: known });
  };
  try {
    const told: unknown = deps.onSession?.(session);
    const settled = told instanceof Promise ? told.catch(failed) : undefined;
    if (settled !== undefined) pending?.push(settled);
  } catch (error) {
    failed(error);
  }
}
