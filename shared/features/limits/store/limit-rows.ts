import { defined } from '../../../core/defined.ts';
import { iso, storedInstant } from '../../../core/instant.ts';
import type { Job } from '../../../core/job.ts';
import type { JobId } from '../../../core/job-id.ts';
import type { Slot } from '../model/slots.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { movedKey } from '../../../store/control-rows.ts';
import { encodeJob, withoutLease } from '../../../store/job-codec.ts';
import { PARKED, timerDue } from '../../../store/rows.ts';

const DAY_MS = 86_400_000;
const seconds = (ms: number): number => Math.ceil(ms / 1000);
/** A job may be parked for long; its pointer must not go before it. */
const POINTER_MS = 400 * DAY_MS;

/** Partition of a limit's slots in Control, and of the jobs that are parked under it in Timers. */
export const limitPartition = (hash: string): string => `${PARKED}${hash}`;

/** Key of a slot. */
export const slotKey = (hash: string, index: number): RowKey => ({
  pk: limitPartition(hash),
  sk: `slot#${String(index).padStart(3, '0')}`,
});

/** Row of a slot; `name` tells an operator which limit it is. TTL removes what nobody deleted, a day late. */
export const slotRow = (limit: { readonly hash: string; readonly name: string }, slot: Slot): Row => ({
  ...slotKey(limit.hash, slot.index),
  limit: limit.name,
  lockOwner: slot.owner,
  lockExpiresAt: iso(slot.until),
  ...defined({ claim: slot.claim }),
  ...(slot.startedAt === undefined ? {} : { startedAt: iso(slot.startedAt) }),
  expiresAt: seconds(slot.until + DAY_MS),
});

/** A slot of its row; one that says nothing readable is free: it must not block its limit for ever. */
export function decodeSlot(row: Row): Slot {
  const startedAt = storedInstant(row['startedAt']);
  return {
    index: Number(String(row['sk']).slice('slot#'.length)),
    owner: String(row['lockOwner']),
    until: storedInstant(row['lockExpiresAt']) ?? 0,
    ...(typeof row['claim'] === 'string' ? { claim: row['claim'] } : {}),
    ...defined({ startedAt }),
  };
}

/** Key of a parked job: those that were parked first come first. */
export const parkedKey = (hash: string, id: JobId, at: number): RowKey => ({ shard: limitPartition(hash), due: timerDue(id, at) });

/** Row of a parked job. */
export const parkedRow = (job: Job, hash: string, at: number): Row => ({ ...encodeJob(withoutLease(job)), ...parkedKey(hash, job.id, at) });

/** Where a parked job lies; overwritten when the job is moved to another place of Timers. */
export const parkedPointerRow = (id: JobId, hash: string, at: number): Row => ({
  ...movedKey(id),
  ...parkedKey(hash, id, at),
  expiresAt: seconds(at + POINTER_MS),
});

/** Partition that lists the limits under which jobs may be parked. */
export const PARKED_LISTING = 'parked';

/** Key of a limit in the listing. */
export const listingKey = (hash: string): RowKey => ({ pk: PARKED_LISTING, sk: hash });
