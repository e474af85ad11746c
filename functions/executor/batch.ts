import { errorText } from '../../shared/core/error-text.ts';
import type { AttemptRecord } from '../../shared/core/attempt.ts';
import { defined } from '../../shared/core/defined.ts';
import { ANSWER_MS, executorLeaseUntil } from '../../shared/core/lease.ts';
import type { FinishedJob } from '../../shared/core/job.ts';
import type { LockOwner } from '../../shared/core/lock-owner.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import type { HeldSlot } from '../../shared/features/limits/store/slots.ts';
import type { ExecutorDeps } from './deps.ts';
import { type TimeBudget, timeBudget } from './time-budget.ts';
import type { LeaseKeeper } from './lease-keeper.ts';

/** The slots of limits that the jobs of a batch hold, by claim: the same job may be claimed again while its slots are given back. */
export type HeldSlots = Map<LockOwner, HeldSlot[]>;

/** What the jobs of one invocation share. */
export interface Batch {
  readonly deps: ExecutorDeps;
  readonly requestId: string;
  readonly budget: TimeBudget;
  /** A lease that is taken now ends here; in an invocation all of them end with it, when the sandbox is dead. */
  readonly leaseUntil: number;
  /** Finished jobs and attempts for History, written when the invocation ends. */
  readonly history: (FinishedJob | AttemptRecord)[];
  /** What listeners have not done with yet; an invocation ends after them. */
  readonly pending?: Promise<unknown>[];
  /** A handler outlived its attempt: nothing starts any more, and the process ends when the others are recorded. */
  readonly ending: boolean;
  endProcess(): void;
  /** Groups whose lock is left to expire, because a handler of theirs may still run. */
  readonly keptLocks: ReadonlySet<string>;
  keepLock(groupHash: string): void;
  /** What the jobs hold of limits. */
  readonly slots: HeldSlots;
  /** Only outside Lambda, where no deadline ends a run. */
  readonly leaseKeeper?: LeaseKeeper;
  /** Journals a store that did not answer or refused. */
  storeFailed(error: unknown): void;
}

/** Opens the batch of an invocation. */
export function openBatch(deps: ExecutorDeps, invocation: Invocation): Batch {
  const keptLocks = new Set<string>();
  let ending = false;
  const { settings, worker } = deps.deployment;
  return {
    deps: { ...deps, answerBy: invocation.deadlineAt - ANSWER_MS, touchedBatches: new Set() },
    requestId: invocation.requestId,
    budget: timeBudget(invocation, settings, deps.clock.now()),
    leaseUntil: executorLeaseUntil(invocation.deadlineAt, settings.leaseMarginMs),
    history: [],
    pending: [],
    get ending() {
      return ending;
    },
    endProcess: () => void (ending = true),
    keptLocks,
    keepLock: (groupHash) => void keptLocks.add(groupHash),
    slots: new Map(),
    storeFailed: (error) =>
      deps.journal.record({
        event: 'store-failed',
        ...defined({ worker }),
        error: errorText(error, deps.clock.now()),
      }),
  };
}
