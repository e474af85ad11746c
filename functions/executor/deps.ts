import type { OnSession } from './session.ts';
import type { BeforeCreate } from '../../shared/client/job-draft.ts';
import type { Deployment } from '../../shared/config/environment.ts';
import type { JobError, LeasedJob } from '../../shared/core/job.ts';
import type { AnyLimit } from '../../shared/core/limit.ts';
import type { HandledJob, JobLog, RetryFor, Verdict } from '../../shared/core/job-type.ts';
import type { JobInfo } from '../../shared/core/job-info.ts';
import type { RetryPolicy } from '../../shared/core/retry-policy.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Entropy } from '../../shared/ports/entropy.ts';
import type { HintSender, Inbox } from '../../shared/ports/hints.ts';
import { type JobRef, jobRef, type Journal, type JournalEntry } from '../../shared/ports/journal.ts';
import type { Sandbox } from '../../shared/ports/sandbox.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import type { WorkerReporter } from './report-worker.ts';
import type { ErrorGroupSums } from '../../shared/features/error-groups/store/error-group-sums.ts';
import type { RulesCache } from './rules-cache.ts';

/**
 * A worker's say on what was thrown, before any policy: a verdict, or undefined for the usual. Not asynchronous: it is asked when the
 * handler's time is over. What it throws is journalled and changes nothing.
 */
export type OnError = (error: unknown, job: JobInfo) => Verdict | undefined;

/** Wraps each attempt, in order: the first given is the outermost. Must call `next` at most once; always unwound. */
export type Around = (job: JobInfo, next: () => Promise<unknown>) => Promise<unknown>;

/** What the executor works with. Nothing in it knows AWS. */
export interface ExecutorDeps {
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
  /** What operators laid down at run time, as this sandbox knows it. */
  readonly rules: RulesCache;
  /** Tells the deployment what this process has handlers for; absent: nobody is told. */
  readonly reporter?: WorkerReporter;
  /** The worker's policy for types that name none. */
  readonly retry: RetryPolicy;
  readonly isConflict?: (error: unknown) => boolean;
  /** The worker's say on what was thrown, before any policy. */
  readonly onError?: OnError;
  /** The worker's choice of a policy by error, for types that name none. */
  readonly retryFor?: RetryFor;
  /** Limits on all jobs of this worker, besides those of their types. */
  readonly limits?: readonly AnyLimit[];
  /** Delivers events that were gathered and writes what was summed up, `all` of it when the process ends for good; never rejects. */
  readonly flushEvents?: (all?: boolean) => Promise<void>;
  /** Deaths that this sandbox has summed up. */
  readonly errorGroups?: ErrorGroupSums;
  /** Gets each attempt when it ended. */
  readonly onSession?: OnSession;
  /** Looks at follow-ups before they are created, as the client's own does at jobs. */
  readonly beforeCreate?: readonly BeforeCreate[];
  readonly log: (job: JobRef) => JobLog;
  /** A job that is given back gets a new message: an old one that comes back looks like one whose receiver died. */
  readonly freshHints?: boolean;
  /** When the invocation must answer; absent where nothing kills the process. */
  readonly answerBy?: number;
  /** Batches of which a child ended, until somebody looks whether there is something to tell. */
  readonly touchedBatches?: Set<string>;
}

/** How a job ends, as the journal calls it. */
type End = 'completed' | 'cancelled' | 'dead-lettered' | 'skipped';
type Noted = Omit<JournalEntry, 'event' | 'job' | 'worker'> & { readonly error?: JobError };

/** Records an event of a job that goes on. */
export function note(deps: ExecutorDeps, job: LeasedJob, event: Exclude<JournalEntry['event'], End>, more: Noted = {}): void {
  deps.journal.record({ event, worker: job.worker, job: jobRef(job), ...more });
}

/** A job has ended: records how, and has its batch looked at, which may have something to tell now. */
export function jobEnded(deps: ExecutorDeps, job: LeasedJob, end: End, more: Noted = {}): void {
  deps.journal.record({ event: end, worker: job.worker, job: jobRef(job), ...more });
  if (job.batch !== undefined) deps.touchedBatches?.add(job.batch);
}
