import { defined } from '../../../job/defined.ts';
import type { Row, RowKey } from '../../../ports/tables.ts';
import { limitPartition } from '../../../store/parked-rows.ts';
import { rowCodec } from '../../../store/row-codec.ts';
import type { Slot } from '../model/slots.ts';

const DAY_MS = 86_400_000;
/** When TTL may remove the row of a slot that is held until `until`: a day later. In epoch seconds. */
export const slotExpiry = (until: number): number => Math.ceil((until + DAY_MS) / 1000);

/** Key of a slot. */
export const slotKey = (hash: string, index: number): RowKey => ({
  pk: limitPartition(hash),
  sk: `slot#${String(index).padStart(3, '0')}`,
});

const SLOT = rowCodec({ limit: 'text~', lockOwner: 'text~', lockExpiresAt: 'instant~', claim: 'text~', startedAt: 'instant~' });

/** What tells whether a slot changed. The claim among them: two jobs that start at the same instant write the same but for it. */
export const SLOT_ATTRIBUTES = ['lockOwner', 'lockExpiresAt', 'startedAt', 'claim'] as const;

/** Row of a slot; `name` shows operators the limit. */
export const slotRow = (limit: { readonly hash: string; readonly name: string }, { index, owner, until, ...slot }: Slot): Row => ({
  ...slotKey(limit.hash, index),
  ...SLOT.encode({ limit: limit.name, lockOwner: owner, lockExpiresAt: until, ...slot }),
  expiresAt: slotExpiry(until),
});

/** Decodes a slot; an unreadable one is free, because it must not block its limit forever. */
export function decodeSlot(row: Row): Slot {
  const read = SLOT.decode(row);
  const { lockExpiresAt: until = 0, claim, startedAt } = read;
  const isDamaged =
    read.lockOwner === undefined ||
    read.lockExpiresAt === undefined ||
    SLOT_ATTRIBUTES.some((name) => row[name] !== undefined && read[name] === undefined);
  const damaged = isDamaged ? Object.fromEntries(SLOT_ATTRIBUTES.map((name) => [name, row[name]])) : undefined;
  const index = Number(String(row['sk']).slice('slot#'.length));
  return { index, owner: String(row['lockOwner']), until, ...defined({ claim, startedAt, damaged }) };
}
