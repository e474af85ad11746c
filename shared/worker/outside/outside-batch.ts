import { errorText } from '../../core/error-text.ts';
import type { LockOwner } from '../../core/lock-owner.ts';
import type { Batch } from '../batch.ts';
import type { HeldSlots } from '../held-slots.ts';
import { Heartbeat, type HeartbeatTerms } from './heartbeat.ts';

/** The longest run: what a timer of Node can wait. A type's `timeout` is what limits a run outside Lambda. */
const LONGEST_RUN_MS = 24 * 86_400_000;

/** The batch of a worker outside Lambda: it lasts as long as the process, its leases are short and renewed, and no deadline ends it. */
export function openOutsideBatch(terms: HeartbeatTerms): Batch {
  const { parts, leaseMs } = terms;
  const { clock, entropy, journal, deployment } = parts;
  const keptLocks = new Set<string>();
  const locks = new Map<string, LockOwner>();
  const slots: HeldSlots = new Map();
  return {
    parts: { ...parts, freshHints: true, touchedBatches: new Set() },
    requestId: `worker/${entropy.token()}`,
    get budget() {
      const abortAt = clock.now() + LONGEST_RUN_MS;
      return { deadlineAt: abortAt, abortAt, fullMs: LONGEST_RUN_MS };
    },
    get leaseUntil() {
      return clock.now() + leaseMs;
    },
    history: [],
    ending: false,
    keptLocks,
    keepLock: (groupHash) => void keptLocks.add(groupHash),
    slots,
    storeFailed: (error) =>
      journal.record({
        event: 'store-failed',
        ...(deployment.worker === undefined ? {} : { worker: deployment.worker }),
        error: errorText(error, clock.now()),
      }),
    upkeep: {
      lockTaken: (groupHash, owner) => void locks.set(groupHash, owner),
      lockReleased: (groupHash) => void locks.delete(groupHash),
      keep(delivery, job) {
        const { g: groupHash } = delivery.hint;
        const owner = groupHash === undefined ? undefined : locks.get(groupHash);
        return new Heartbeat(terms, {
          delivery,
          job,
          slots: slots.get(job.lockOwner) ?? [],
          ...(groupHash === undefined || owner === undefined ? {} : { lock: { groupHash, owner } }),
        });
      },
    },
  };
}
