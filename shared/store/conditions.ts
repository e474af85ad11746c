import { iso } from '../job/instant.ts';
import type { Scalar } from '../job/job.ts';
import { type LockOwner, QUEUE_PREFIX } from '../job/lock-owner.ts';
import type { Condition } from '../ports/tables.ts';

/** Every part must hold. */
export const all = (...of: readonly Condition[]): Condition => ({ test: 'all', of });

/** One part must hold. */
export const any = (...of: readonly Condition[]): Condition => ({ test: 'any', of });

/** No row has this key. `attribute` is the table's partition key. */
export const noRow = (attribute: string): Condition => ({ test: 'absent', attribute });

/** The row is as it was read. */
export const revIs = (rev: number): Condition => ({ test: 'equals', attribute: 'rev', value: rev });

/** The lease is mine: what fences every write of an executor. */
export const heldBy = (owner: LockOwner): Condition => ({ test: 'equals', attribute: 'lockOwner', value: owner });

/** The lease is as it was read: not taken, renewed or reset since. */
export const leaseIs = (owner: LockOwner, expiresAt: number): Condition =>
  all(heldBy(owner), { test: 'equals', attribute: 'lockExpiresAt', value: iso(expiresAt) });

/** The job is not running. */
export const notRunning: Condition = { test: 'beginsWith', attribute: 'lockOwner', value: QUEUE_PREFIX };

/** The job is not running, and is due. */
export const claimable = (now: number): Condition => all(notRunning, { test: 'atMost', attribute: 'dueAt', value: iso(now) });

/** No cancel was requested. */
export const notCancelled: Condition = { test: 'absent', attribute: 'cancelRequested' };

/** The lease ends at `at` or before. A renewal that arrives after a later one must not shorten the lease. */
export const endsBy = (at: number): Condition => ({ test: 'atMost', attribute: 'lockExpiresAt', value: iso(at) });

/** A lock that is free: absent, expired, or mine already and not for longer. */
export const lockFree = (owner: LockOwner, { now, expiresAt }: { readonly now: number; readonly expiresAt: number }): Condition =>
  any(noRow('pk'), endsBy(now), all(heldBy(owner), endsBy(expiresAt)));

/** A key row that belongs to this job. */
export const keyOfJob = (id: string): Condition => ({ test: 'equals', attribute: 'jobId', value: id });

/** An attribute is as it was read, or as absent. */
export const unchanged = (attribute: string, value: Scalar | undefined): Condition =>
  value === undefined ? { test: 'absent', attribute } : { test: 'equals', attribute, value };
