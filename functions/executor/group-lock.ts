import type { LockOwner } from '../../shared/core/lock-owner.ts';
import { groupLockKey } from '../../shared/store/control-rows.ts';
import { releaseLock, takeLock } from '../../shared/store/locks.ts';
import { retryOnce } from './retry-once.ts';
import type { Batch } from './batch.ts';
import type { HeldLock } from './held-lock.ts';

/** The lock of a group, taken for the jobs of one track in turn. */
export class GroupLock {
  readonly #owner: LockOwner;
  readonly #batch: Batch;
  readonly #groupHash: string;
  readonly #beyondMs: number;
  /** Whether the row may be ours: also after a request whose reply was lost. */
  #mayBeOurs = false;
  #until = Number.NEGATIVE_INFINITY;

  /** `beyondMs`: how long the lock outlasts the leases that are taken with it. */
  constructor(batch: Batch, groupHash: string, owner: LockOwner, beyondMs = 0) {
    this.#batch = batch;
    this.#groupHash = groupHash;
    this.#owner = owner;
    this.#beyondMs = beyondMs;
  }

  /** What is held after `take` answered undefined. */
  get held(): HeldLock {
    return { groupHash: this.#groupHash, owner: this.#owner, until: this.#until };
  }

  /**
   * Takes the lock for the next job, or renews it if a lease that is taken now would outlast it; in an invocation, where all leases
   * end together, that is one write for all jobs. Returns undefined if the lock is held, otherwise after how many milliseconds to
   * look again: somebody else holds the group, or the store does not answer.
   */
  async take(): Promise<number | undefined> {
    const { deps, leaseUntil, keptLocks } = this.#batch;
    const now = deps.clock.now();
    if (keptLocks.has(this.#groupHash)) return leaseUntil - now;
    const until = leaseUntil + this.#beyondMs;
    if (until <= this.#until) return undefined;
    this.#mayBeOurs = true;
    try {
      const times = { now, expiresAt: until };
      const taken = await retryOnce(() => takeLock(deps.tables, groupLockKey(this.#groupHash), this.#owner, times));
      this.#mayBeOurs = taken.taken;
      if (!taken.taken) return Math.max(1_000, taken.until - deps.clock.now());
    } catch (error) {
      this.#batch.storeFailed(error);
      return deps.deployment.settings.leaseMarginMs;
    }
    this.#until = until;
    return undefined;
  }

  /** Gives the lock back. One that cannot be given back now expires by itself; so does that of a handler that may still run. */
  async release(): Promise<void> {
    const { deps, keptLocks } = this.#batch;
    if (!this.#mayBeOurs || keptLocks.has(this.#groupHash)) return;
    await releaseLock(deps.tables, groupLockKey(this.#groupHash), this.#owner).catch((error: unknown) => this.#batch.storeFailed(error));
  }
}
