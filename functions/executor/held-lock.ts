import type { LockOwner } from '../../shared/core/lock-owner.ts';

/** The lock of a group, as its holder knows it. */
export interface HeldLock {
  readonly groupHash: string;
  readonly owner: LockOwner;
  readonly until: number;
}
