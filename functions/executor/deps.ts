import type { AttemptOutcome, LoggedLine } from '../../shared/job/attempt.ts';
import type { JobError } from '../../shared/job/job.ts';
import type { Journal, JournalEvent, JobRef } from '../../shared/ports/journal.ts';
import type { Deployment } from '../../shared/config/environment.ts';
import type { AnyLimit } from '../../shared/job/limit.ts';
import type { HandledJob, RetryFor, Verdict } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import type { JobInfo } from '../../shared/job/job-info.ts';
import type { RetryPolicy } from '../../shared/job/retry-policy.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { HintSender, Inbox } from '../../shared/ports/hints.ts';
import type { Sandbox } from '../../shared/ports/sandbox.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { Tracing } from '../../shared/ports/tracing.ts';
import type { WorkerReporter } from './report-worker.ts';
import type { BurialDeps } from '../../shared/store/burials.ts';
import type { Rules } from '../../shared/features/rules/model/rules.ts';

/**
 * Returns a verdict for a thrown error, or undefined to apply the retry policy. Must be synchronous: it is called after the
 * handler's time is over. If it throws, that is journalled and ignored.
 */
export type OnError = (error: unknown, job: JobInfo) => Verdict | undefined;

/** Wraps each attempt; the first is the outermost. Must call `next` at most once. */
export type Around = (job: JobInfo, next: () => Promise<unknown>) => Promise<unknown>;

/** Dependencies of a read of the rules; passed to each call, because every invocation has its own. */
export interface RulesPorts {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** The operators' rules, cached by one sandbox for all its invocations. */
export interface RulesCache {
  /**
   * Rules read at most five seconds ago, by one eventually consistent query for all concurrent callers. If the store does
   * not answer, the last known ones. Throws StoreUnavailableError if there are none, because suspensions are unknown then.
   */
  current(ports: RulesPorts): Promise<Rules>;
  /** Calls `list` for a cause, unless this sandbox did so within the last minute. Concurrent callers share one call. */
  listOnce(cause: string, now: number, list: () => Promise<void>): Promise<void>;
}

/** Dependencies of the executor. None of them depends on AWS. */
export interface ExecutorDeps extends Pick<BurialDeps, 'errorGroups'> {
  readonly deployment: Deployment;
  readonly tables: Tables;
  readonly hints: HintSender;
  readonly inbox: Inbox;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly sandbox: Sandbox;
  readonly handlers: ReadonlyMap<string, HandledJob>;
  readonly around: readonly Around[];
  /** Rules set by operators at run time, cached by this sandbox. */
  readonly rules: RulesCache;
  /** Reports the job types that this process handles. Absent: nothing is reported. */
  readonly reporter?: WorkerReporter;
  /** Why this process makes its writes one by one, if the store refused them in batches. */
  readonly batchRefusal?: () => string | undefined;
  /** The permission that the store last found missing, if it did lately. */
  readonly missingPermission?: () => string | undefined;
  /** Retry policy for jobs without one, of their own or of their type. */
  readonly retry: RetryPolicy;
  readonly isConflict?: (error: unknown) => boolean;
  /** Called for each thrown error before any policy applies. */
  readonly onError?: OnError;
  /** Chooses a policy by error, for the same jobs. */
  readonly retryFor?: RetryFor;
  /** Limits on all jobs of this worker, in addition to those of their types. */
  readonly limits?: readonly AnyLimit[];
  /** Delivers buffered events and writes collected counts; `all` of them if the process is ending. Never rejects. */
  readonly flushEvents?: (all?: boolean) => Promise<void>;
  /** Receives each attempt after it ended. */
  readonly onSession?: OnSession;
  /** Spans around attempts. */
  readonly tracing?: Tracing;
  /** The trace of the invocation, for follow-ups of a job that belongs to none. */
  readonly traceparent?: () => string | undefined;
  readonly log: (job: JobRef) => JobLog;
  /** A job that is given back gets a new message, because a redelivered one suggests that its receiver died. */
  readonly freshHints?: boolean;
  /** When the invocation must return. Absent if nothing kills the process. */
  readonly answerBy?: number;
  /** Batches that had a child finish and are not settled yet. */
  readonly touchedBatches?: Set<string>;
}

/** One entry of a session: a line logged by the handler, or an event of its job. Instants are epoch milliseconds. */
export type SessionEntry =
  | ({ readonly kind: 'log' } & LoggedLine)
  | { readonly kind: 'event'; readonly at: number; readonly event: JournalEvent; readonly reason?: string; readonly error?: JobError };

/** All log lines and events of one attempt, in order. */
export interface AttemptSession {
  readonly job: JobRef;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly outcome: AttemptOutcome;
  readonly requestId: string;
  readonly entries: readonly SessionEntry[];
  /** Log lines beyond the first 1,000. */
  readonly dropped: number;
}

/** Receives each attempt after it ended, also if it failed, lost its lease or could not be recorded. May be asynchronous. */
export type OnSession = (session: AttemptSession) => unknown;
