import { defined } from '../../shared/core/defined.ts';
import { errorText } from '../../shared/core/error-text.ts';
import type { Batch, HeldSlots } from '../executor/batch.ts';
import { Heartbeat, type HeartbeatTerms } from './heartbeat.ts';

/** The longest run: what a timer of Node can wait. A type's `timeout` is what limits a run outside Lambda. */
const LONGEST_RUN_MS = 24 * 86_400_000;

/** What a worker outside Lambda gives to its batch. */
export interface OutsideTerms extends HeartbeatTerms {
  /** Called at once when a handler outlived its attempt. */
  readonly ending: () => void;
}

/** The batch of a worker outside Lambda: it lasts as long as the process, its leases are short and renewed, and no deadline ends it. */
export function openOutsideBatch(terms: OutsideTerms): Batch {
  const { deps, leaseMs } = terms;
  const { clock, entropy, journal, deployment } = deps;
  const keptLocks = new Set<string>();
  const slots: HeldSlots = new Map();
  let ending = false;
  return {
    deps: { ...deps, freshHints: true, touchedBatches: new Set() },
    requestId: `worker/${entropy.token()}`,
    get budget() {
      const abortAt = clock.now() + LONGEST_RUN_MS;
      return { deadlineAt: abortAt, abortAt, fullMs: LONGEST_RUN_MS };
    },
    get leaseUntil() {
      return clock.now() + leaseMs;
    },
    history: [],
    get ending() {
      return ending;
    },
    endProcess() {
      ending = true;
      terms.ending();
    },
    keptLocks,
    keepLock: (groupHash) => void keptLocks.add(groupHash),
    slots,
    storeFailed: (error) =>
      journal.record({
        event: 'store-failed',
        ...defined({ worker: deployment.worker }),
        error: errorText(error, clock.now()),
      }),
    leaseKeeper: {
      keep: (delivery, job) => new Heartbeat(terms, { delivery, job, slots: slots.get(job.lockOwner) ?? [] }),
    },
  };
}
