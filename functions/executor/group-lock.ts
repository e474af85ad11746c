import type { LockOwner } from '../../shared/job/lock-owner.ts';
import { groupLockKey } from '../../shared/store/control-rows.ts';
import { releaseLock, takeLock } from '../../shared/store/take-lock.ts';
import { retryOnce } from './claim.ts';
import type { ExecutorInvocation } from './invocation.ts';
import type { HeldLock } from './receive.ts';

/** The lock of a group, taken for the jobs of one track one after another. */
export class GroupLock {
  readonly #owner: LockOwner;
  readonly #invocation: ExecutorInvocation;
  readonly #groupHash: string;
  readonly #beyondMs: number;
  /** Whether the lock may be ours, also after a request whose reply was lost. */
  #mayBeOurs = false;
  #until = Number.NEGATIVE_INFINITY;

  /** `beyondMs`: how much longer the lock lasts than the leases taken with it. */
  constructor(invocation: ExecutorInvocation, groupHash: string, owner: LockOwner, beyondMs = 0) {
    this.#invocation = invocation;
    this.#groupHash = groupHash;
    this.#owner = owner;
    this.#beyondMs = beyondMs;
  }

  /** The lock that is held after `take` returned undefined. */
  get held(): HeldLock {
    return { groupHash: this.#groupHash, owner: this.#owner, until: this.#until };
  }

  /**
   * Takes the lock for the next job, or renews it if a lease that is taken now would outlast it; in an invocation, where all leases
   * end together, that is one write for all jobs. Returns undefined if the lock is held, otherwise the milliseconds to wait before
   * the next try: another process holds the group, or the store does not answer.
   */
  async take(): Promise<number | undefined> {
    const { deps, leaseUntil, keptLocks } = this.#invocation;
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
      this.#invocation.storeFailed(error);
      return deps.deployment.settings.leaseMarginMs;
    }
    this.#until = until;
    return undefined;
  }

  /** Releases the lock. One that cannot be released now expires; so does the lock of a handler that may still run. */
  async release(): Promise<void> {
    const { deps, keptLocks } = this.#invocation;
    if (!this.#mayBeOurs || keptLocks.has(this.#groupHash)) return;
    await releaseLock(deps.tables, groupLockKey(this.#groupHash), this.#owner).catch((error: unknown) =>
      this.#invocation.storeFailed(error),
    );
  }
}
