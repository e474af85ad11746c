import type { AppliedRate } from '../../../job/limit.ts';
import type { Scalar } from '../../../job/job.ts';
import type { JobId } from '../../../job/job-id.ts';

/** A slot of a limit, as stored. A missing row is a free slot. */
export interface Slot {
  readonly index: number;
  readonly owner: string;
  /** Held until then; of a rate: booked through. */
  readonly until: number;
  /** The claim that took it: the lock owner of the job's lease. Absent from its release until it is claimed. */
  readonly claim?: string;
  /** When a job last started from it; of rates only. */
  readonly startedAt?: number;
  /** The attributes of a row that is damaged, as stored. Without a readable `until` it is free. */
  readonly damaged?: Readonly<Record<string, Scalar | undefined>>;
}

/** The holder of a slot: the job, not its executor, so that it keeps the slot from its release to its claim. */
export const slotOwner = (id: JobId): string => `job/${id}`;

const upTo = (count: number): readonly number[] => Array.from({ length: Math.max(0, count) }, (_, index) => index);

/**
 * Slots that a job may take. After the number was lowered, jobs in slots beyond it still count, so that never more
 * than the new number start.
 */
export function freeSlots(slots: readonly Slot[], n: number, now: number): readonly number[] {
  const held = new Set(slots.filter(({ until }) => until > now).map(({ index }) => index));
  const beyond = [...held].filter((index) => index >= n).length;
  return upTo(n - beyond).filter((index) => !held.has(index));
}

/** A job on its way to a slot: `turn` when it was released and lost its slot while its message waited. */
export interface Newcomer {
  readonly id: JobId;
  readonly turn?: boolean;
}

/**
 * Where a job finds room: in the slot that it holds already, or in one of the free ones. Behind a long queue slots would end before
 * their jobs are claimed, one after the other: a job whose turn has come takes the slot of one that is still on its way.
 */
export function roomFor(
  { id, turn = false }: Newcomer,
  slots: readonly Slot[],
  n: number,
  now: number,
): { readonly own?: Slot; readonly free: readonly number[] } {
  const free = freeSlots(slots, n, now);
  const mine = slots.find(({ owner, until, index }) => owner === slotOwner(id) && (until > now || free.includes(index)));
  const unclaimed = turn && free.length === 0 ? slots.find(({ claim, index }) => claim === undefined && index < n) : undefined;
  const own = mine ?? unclaimed;
  return own === undefined ? { free } : { own, free: [] };
}

/**
 * How much later than the end of the one before it a start is booked: messages come up to a second late, and a start that came late
 * moves the end of its period. Without it each booked job would find its slot a moment too early, and wait twice.
 */
const spareMs = (perMs: number): number => Math.min(1_000, Math.floor(perMs / 10));

/** How close a start must be for a job with a booking to wait for it; further away it books again, or all that are late would wait together. */
const patienceMs = (perMs: number): number => Math.min(2_000, Math.floor(perMs / 2));

const startedWithin = ({ startedAt }: Slot, perMs: number, now: number): boolean => startedAt !== undefined && startedAt > now - perMs;

/** Slots from which a job may start now: no start within a period, and no booking by another job. */
export function startSlots(slots: readonly Slot[], { n, perMs }: AppliedRate, now: number, booked: boolean): readonly number[] {
  const byIndex = new Map(slots.map((slot) => [slot.index, slot]));
  const beyond = slots.filter((slot) => slot.index >= n && startedWithin(slot, perMs, now)).length;
  return upTo(n - beyond).filter((index) => {
    const slot = byIndex.get(index);
    return slot === undefined || (!startedWithin(slot, perMs, now) && (booked || slot.until <= now));
  });
}

/** How long a job waits at least until it asks again, while an operator lets nothing start. */
const CLOSED_MS = 60_000;

/** When and where a job that cannot start may start: `index` is absent where its old booking is still good. */
export interface Booking {
  readonly at: number;
  readonly index?: number;
}

/** The next free start; for a job with a booking that came early, the time of its booking. While nothing may start, when to ask again. */
export function nextStart(slots: readonly Slot[], { n, perMs }: AppliedRate, now: number, booked: boolean): Booking {
  if (n === 0) return { at: now + Math.max(perMs, CLOSED_MS) };
  const byIndex = new Map(slots.map((slot) => [slot.index, slot]));
  const again = (slot: Slot | undefined): number => (slot?.startedAt ?? 0) + perMs;
  if (booked) {
    const soonest = Math.min(...upTo(n).map((index) => again(byIndex.get(index))));
    if (soonest > now && soonest <= now + patienceMs(perMs)) return { at: soonest };
  }
  const starts = upTo(n).map((index) => {
    const slot = byIndex.get(index);
    return { index, at: Math.max(now + 1, again(slot), slot === undefined ? 0 : slot.until + spareMs(perMs)) };
  });
  return starts.reduce((first, one) => (one.at < first.at ? one : first));
}
