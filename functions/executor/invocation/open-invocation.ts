import { errorText } from '../../../shared/job/error-text.ts';
import type { AttemptRecord } from '../../../shared/job/attempt.ts';
import { defined } from '../../../shared/job/defined.ts';
import { ANSWER_MS, executorLeaseUntil } from '../../../shared/job/lease.ts';
import type { FinishedJob } from '../../../shared/job/job.ts';
import type { Invocation } from '../../../shared/ports/sandbox.ts';
import type { ExecutorDeps } from '../deps.ts';
import type { Holds } from './holds.ts';
import { type TimeBudget, timeBudget } from './time-budget.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

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
