import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import type { ExecutorInvocation, Holds } from '../executor/invocation.ts';
import { Heartbeat, type HeartbeatTerms } from './lease-heartbeat.ts';

/** The longest run: the maximum of a Node timer. Outside Lambda a type's `timeout` limits its runs. */
const LONGEST_RUN_MS = 24 * 86_400_000;

/** The ports of a worker outside Lambda, and what it does if a handler outlives its attempt. */
export interface WorkerInvocationTerms extends HeartbeatTerms {
  /** Called at once if a handler outlived its attempt. */
  readonly ending: () => void;
}

/** The only invocation of a worker outside Lambda: it lasts as long as the process, its leases are short and renewed, and no deadline ends it. */
export function openWorkerInvocation(terms: WorkerInvocationTerms): ExecutorInvocation {
  const { deps, leaseMs } = terms;
  const { clock, entropy, journal, deployment } = deps;
  const keptLocks = new Set<string>();
  const holds: Holds = new Map();
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
    holds,
    storeFailed: (error) =>
      journal.record({
        event: 'store-failed',
        ...defined({ worker: deployment.worker }),
        error: errorText(error, clock.now()),
      }),
    leaseKeeper: {
      keep: (delivery, job) => new Heartbeat(terms, { delivery, job, holds: holds.get(job.lockOwner) ?? [] }),
    },
  };
}
