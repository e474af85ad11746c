import { defined } from '../../../job/defined.ts';
import { iso, storedInstant } from '../../../job/instant.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { limitPartition } from '../../../store/parked-rows.ts';
import type { Slot } from '../model/slots.ts';

const DAY_MS = 86_400_000;
const seconds = (ms: number): number => Math.ceil(ms / 1000);
/** Key of a slot. */
export const slotKey = (hash: string, index: number): RowKey => ({
  pk: limitPartition(hash),
  sk: `slot#${String(index).padStart(3, '0')}`,
});

/** Row of a slot; `name` shows operators the limit. TTL removes an abandoned row a day later. */
export const slotRow = (limit: { readonly hash: string; readonly name: string }, slot: Slot): Row => ({
  ...slotKey(limit.hash, slot.index),
  limit: limit.name,
  lockOwner: slot.owner,
  lockExpiresAt: iso(slot.until),
  ...defined({ claim: slot.claim }),
  ...(slot.startedAt === undefined ? {} : { startedAt: iso(slot.startedAt) }),
  expiresAt: seconds(slot.until + DAY_MS),
});

/** Decodes a slot; an unreadable one is free, because it must not block its limit forever. */
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
