import { iso } from '../core/instant.ts';
import type { Scalar } from '../core/job.ts';
import { type LockOwner, QUEUE_PREFIX } from '../core/lock-owner.ts';
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

/** The lease is the one that was read: nobody took, renewed or reset it since. */
export const leaseIs = (owner: LockOwner, expiresAt: number): Condition =>
  all(heldBy(owner), { test: 'equals', attribute: 'lockExpiresAt', value: iso(expiresAt) });

/** Nobody runs it. */
export const notRunning: Condition = { test: 'beginsWith', attribute: 'lockOwner', value: QUEUE_PREFIX };

/** Nobody runs it and it is due. */
export const claimable = (now: number): Condition => all(notRunning, { test: 'atMost', attribute: 'dueAt', value: iso(now) });

/** Nobody asked for it to be cancelled. */
export const notCancelled: Condition = { test: 'absent', attribute: 'cancelRequested' };

/** It ends then at the latest: an attempt to lengthen it that arrives after a later one must not shorten it. */
export const endsBy = (at: number): Condition => ({ test: 'atMost', attribute: 'lockExpiresAt', value: iso(at) });

/** A lock that is free: absent, expired, or mine already and not for longer. */
export const lockFree = (owner: LockOwner, { now, expiresAt }: { readonly now: number; readonly expiresAt: number }): Condition =>
  any(noRow('pk'), endsBy(now), all(heldBy(owner), endsBy(expiresAt)));

/** A key row that belongs to this job. */
export const keyOfJob = (id: string): Condition => ({ test: 'equals', attribute: 'jobId', value: id });

/** An attribute is as it was read, or as absent. */
export const unchanged = (attribute: string, value: Scalar | undefined): Condition =>
  value === undefined ? { test: 'absent', attribute } : { test: 'equals', attribute, value };
