import { settleBatch } from '../../shared/features/batches/store/settle-batch.ts';
import { writeHistory } from '../../shared/features/history/store/write-history.ts';
import type { LeasedJob, FinishedJob } from '../../shared/job/job.ts';
import type { Delivery } from './receive.ts';
import type { LockOwner } from '../../shared/job/lock-owner.ts';
import type { ExecutorDeps } from './deps.ts';
import type { Settings } from '../../shared/config/settings.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { errorText } from '../../shared/job/error-text.ts';
import type { AttemptRecord } from '../../shared/job/attempt.ts';
import { defined } from '../../shared/job/defined.ts';
import { ANSWER_MS, executorLeaseUntil } from '../../shared/job/lease.ts';

/** State shared by the jobs of one invocation. */
export interface ExecutorInvocation {
  readonly deps: ExecutorDeps;
  readonly requestId: string;
  readonly budget: TimeBudget;
  /** When a lease taken now ends. In an invocation all leases end together, after the sandbox is dead. */
  readonly leaseUntil: number;
  /** Finished jobs and attempts for History, written when the invocation ends. */
  readonly history: (FinishedJob | AttemptRecord)[];
  /** Pending listeners; an invocation waits for them. */
  readonly pending?: Promise<unknown>[];
  /** A handler outlived its attempt: no more jobs start, and the process ends when the others are recorded. */
  readonly ending: boolean;
  endProcess(): void;
  /** Groups whose lock is left to expire, because a handler of theirs may still run. */
  readonly keptLocks: ReadonlySet<string>;
  keepLock(groupHash: string): void;
  /** What its jobs hold besides their leases. */
  readonly holds: Holds;
  /** Present only outside Lambda, where no deadline ends a run. */
  readonly leaseKeeper?: LeaseKeeper;
  /** Journals a failed store request. */
  storeFailed(error: unknown): void;
}

/** Opens an invocation. */
export function openInvocation(deps: ExecutorDeps, context: Invocation): ExecutorInvocation {
  const keptLocks = new Set<string>();
  let ending = false;
  const { settings, worker } = deps.deployment;
  return {
    deps: { ...deps, answerBy: context.deadlineAt - ANSWER_MS, touchedBatches: new Set() },
    requestId: context.requestId,
    budget: timeBudget(context, settings, deps.clock.now()),
    leaseUntil: executorLeaseUntil(context.deadlineAt, settings.leaseMarginMs),
    history: [],
    pending: [],
    get ending() {
      return ending;
    },
    endProcess: () => void (ending = true),
    keptLocks,
    keepLock: (groupHash) => void keptLocks.add(groupHash),
    holds: new Map(),
    storeFailed: (error) =>
      deps.journal.record({
        event: 'store-failed',
        ...defined({ worker }),
        error: errorText(error, deps.clock.now()),
      }),
  };
}

/** How the time of one invocation is divided: jobs run until `abortAt`, outcomes are recorded until the deadline. */
export interface TimeBudget {
  readonly deadlineAt: number;
  /** Handlers that still run are aborted here, at the latest. */
  readonly abortAt: number;
  /** The time available to a job that starts now. */
  readonly fullMs: number;
}

/** Divides an invocation that starts at `now`. */
export function timeBudget(invocation: Invocation, settings: Settings, now: number): TimeBudget {
  const abortAt = invocation.deadlineAt - settings.recordReserveMs - settings.abortGraceMs;
  return { deadlineAt: invocation.deadlineAt, abortAt, fullMs: Math.max(0, abortAt - now) };
}

/** Time allowed for receiving and claiming before a job that needs a whole invocation starts: a tenth of it, at least 2 s. */
const startTolerance = (fullMs: number): number => Math.max(fullMs / 10, 2_000);

/** Whether a job may start now: at least `minimumRunMs`, and its type's own time limit as far as any invocation could give it. */
export function enoughTime(budget: TimeBudget, minimumRunMs: number, timeoutMs: number | undefined, now: number): boolean {
  const left = budget.abortAt - now;
  if (left < Math.min(minimumRunMs, timeoutMs ?? minimumRunMs)) return false;
  return timeoutMs === undefined || left >= Math.min(timeoutMs, budget.fullMs - startTolerance(budget.fullMs));
}

/** What a gate took for a job besides its lease, such as a slot of a limit. */
export interface Hold {
  /** Extends it with the lease of the job. False if another job has it by now. */
  extend(deps: ExecutorDeps, job: LeasedJob, until: number): Promise<boolean>;
  /** Gives it up when the claim has ended. */
  release(deps: ExecutorDeps, job: LeasedJob): Promise<void>;
}

/** What the jobs of an invocation hold, by claim: a job may be claimed again while its holds are being released. */
export type Holds = Map<LockOwner, Hold[]>;

interface Holder {
  readonly holds: Holds;
}

/** Remembers a hold before it is requested, because the reply may be lost. */
export function addHold({ holds }: Holder, job: LeasedJob, hold: Hold): void {
  holds.set(job.lockOwner, [...(holds.get(job.lockOwner) ?? []), hold]);
}

/** Forgets a hold that the job did not get. */
export function dropHold({ holds }: Holder, job: LeasedJob, hold: Hold): void {
  holds.set(
    job.lockOwner,
    (holds.get(job.lockOwner) ?? []).filter((one) => one !== hold),
  );
}

/** Releases what the job holds. A hold that cannot be released now expires with the lease. */
export async function releaseHolds(
  invocation: Holder & { readonly deps: ExecutorDeps; storeFailed(error: unknown): void },
  job: LeasedJob,
): Promise<void> {
  const held = invocation.holds.get(job.lockOwner) ?? [];
  invocation.holds.delete(job.lockOwner);
  for (const hold of held) await hold.release(invocation.deps, job).catch((error: unknown) => invocation.storeFailed(error));
}

/** Renews what a running job holds if no deadline ends its run: its lease, its group lock, its message. */
export interface LeaseKeeper {
  /** Renews everything that a claimed job holds, and the lock under which it was delivered, until `end` is called. */
  keep(delivery: Delivery, job: LeasedJob): Kept;
}

/** The renewal of one running handler. */
export interface Kept {
  /** Fires when the run must end: the lease is lost or could not be renewed (LeaseLostError), or the worker stops (WorkerStoppingError). If it has fired already, the run must not begin. */
  readonly interrupt: AbortSignal;
  /**
   * Stops renewing; waits for a pending renewal. `unsettled`: the handler still runs, so its process is ended before the
   * lease is. `lost`: another process holds the lease, so nothing must be recorded.
   */
  end(unsettled: boolean): Promise<{ readonly job: LeasedJob; readonly lost: boolean }>;
}

/** Settles each batch that had a child finish during this invocation. The sweeper retries failures. */
export async function settleTouchedBatches(invocation: ExecutorInvocation): Promise<void> {
  const { touchedBatches } = invocation.deps;
  if (touchedBatches === undefined || touchedBatches.size === 0) return;
  const ids = [...touchedBatches];
  touchedBatches.clear();
  await Promise.all(ids.map((id) => settleBatch(invocation.deps, id).catch((error: unknown) => invocation.storeFailed(error))));
}

/** Writes to History what has ended since the last call. */
export const flushHistory = async ({ deps, history }: ExecutorInvocation): Promise<void> => writeHistory(deps, history.splice(0));

/** Longest wait for asynchronous listeners. Otherwise a frozen sandbox would resume them during another invocation. */
const LONGEST_WAIT_MS = 3_000;

/** Waits a limited time for pending session listeners. Their time must not be taken from jobs. */
export async function drainListeners({ pending, deps, budget }: ExecutorInvocation): Promise<void> {
  if (pending === undefined || pending.length === 0) return;
  const over = new AbortController();
  const left = Math.min(LONGEST_WAIT_MS, budget.deadlineAt - deps.clock.now() - 1_000);
  await Promise.race([Promise.all(pending.splice(0)), deps.clock.wait(left, over.signal)]);
  over.abort();
}
