import { iso } from '../../../job/instant.ts';
import type { LeasedJob } from '../../../job/job.ts';
import { type AppliedLimit, type AppliedRate, MAX_SLOTS } from '../../../job/limit.ts';
import type { LockOwner } from '../../../job/lock-owner.ts';
import { type Slot, slotOwner } from '../model/slots.ts';
import type { Condition, Row, Tables } from '../../../ports/tables.ts';
import { all, any, endsBy, leaseIs, noRow, unchanged } from '../../../store/conditions.ts';
import { limitPartition } from '../../../store/parked-rows.ts';
import { decodeSlot, SLOT_ATTRIBUTES, slotExpiry, slotKey, slotRow } from './slot-rows.ts';

/** A job with the lease under which it runs. */
export type Claimed = Pick<LeasedJob, 'id' | 'lockOwner'>;

/** A slot that a job holds as far as its executor knows; after a lost reply it may not. */
export interface HeldSlot {
  readonly limit: AppliedLimit;
  readonly index: number;
  readonly until: number;
}

/** The slots of a limit that have a row, strongly consistent. */
export async function readSlots(tables: Tables, hash: string): Promise<readonly Slot[]> {
  const { rows } = await tables.query({ table: 'control', partition: limitPartition(hash), limit: 2 * MAX_SLOTS, consistent: true });
  return rows.map(decodeSlot);
}

/** The slot belongs to this claim of the job: not to a later claim, nor to a job that took it after it expired. */
export const takenBy = (claim: LockOwner): Condition => ({ test: 'equals', attribute: 'claim', value: claim });

/** The slot is free; one whose row is damaged is as it was read. */
export const slotFree = (now: number, seen?: Slot): Condition =>
  seen?.damaged === undefined ? any(noRow('pk'), endsBy(now)) : asStored(seen.damaged);

const asStored = (row: Row | NonNullable<Slot['damaged']>): Condition =>
  all(...SLOT_ATTRIBUTES.map((attribute) => unchanged(attribute, row[attribute])));

/**
 * Takes a slot that was seen free (`free`, if it has a row), or one that was seen and is the job's to take (`own`, as it was read: a process that thawed must not
 * cut short the slot of a later claim). False if another job was faster. May be repeated after a lost reply.
 */
export async function takeSlot(
  tables: Tables,
  job: Claimed,
  slot: HeldSlot,
  seen: { readonly own?: Slot | undefined; readonly free?: Slot | undefined; readonly now: number },
): Promise<boolean> {
  const owner = slotOwner(job.id);
  const row = slotRow(slot.limit, { index: slot.index, owner, until: slot.until, claim: job.lockOwner });
  const condition = seen.own === undefined ? slotFree(seen.now, seen.free) : asRead(seen.own);
  const outcome = await tables.write({ op: 'put', table: 'control', row, condition });
  return outcome.applied || outcome.row?.['claim'] === job.lockOwner;
}

/** The slot is as it was read, and not claimed since. */
function asRead({ owner, until, claim, damaged }: Slot): Condition {
  if (damaged !== undefined) return asStored(damaged);
  return all(leaseIs(owner, until), unchanged('claim', claim));
}

/** Extends the slot of a job that runs beyond its first lease; never shortens it. False if another job holds it by now. */
export async function extendSlot(tables: Tables, job: Claimed, slot: HeldSlot, until: number): Promise<boolean> {
  const end = Math.max(until, slot.until);
  const outcome = await tables.write({
    op: 'update',
    table: 'control',
    key: slotKey(slot.limit.hash, slot.index),
    set: { lockExpiresAt: iso(end), expiresAt: slotExpiry(end) },
    condition: all(takenBy(job.lockOwner), endsBy(end)),
  });
  return outcome.applied || outcome.row?.['claim'] === job.lockOwner;
}

/** Gives a slot back, if it is still this claim's. */
export async function freeSlot(tables: Tables, job: Claimed, { limit, index }: HeldSlot): Promise<void> {
  await tables.write({ op: 'delete', table: 'control', key: slotKey(limit.hash, index), condition: takenBy(job.lockOwner) });
}

/** Replaces a rate's slot as it was read; false if it changed since. May be repeated after a lost reply. */
export async function writeRateSlot(tables: Tables, limit: AppliedRate, next: Slot, seen: Slot | undefined): Promise<boolean> {
  const row = slotRow(limit, next);
  const condition = seen === undefined ? noRow('pk') : asStored(seen.damaged ?? slotRow(limit, seen));
  const outcome = await tables.write({ op: 'put', table: 'control', row, condition });
  const { row: there } = outcome;
  return outcome.applied || (there !== undefined && SLOT_ATTRIBUTES.every((attribute) => there[attribute] === row[attribute]));
}
