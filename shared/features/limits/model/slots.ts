import type { AppliedRate } from '../../../core/limit.ts';
import type { JobId } from '../../../core/job-id.ts';

/** A slot of a limit, as its row says it. A row that is absent is a free slot. */
export interface Slot {
  readonly index: number;
  readonly owner: string;
  /** Held until then; of a rate: booked through. */
  readonly until: number;
  /** The claim that took it: the lock owner of the job's lease. Absent from its release until it is claimed. */
  readonly claim?: string;
  /** When a job last started from it; of rates only. */
  readonly startedAt?: number;
}

/** Who holds a slot: the job, not its executor, so that it keeps the slot from its release to its claim. */
export const slotOwner = (id: JobId): string => `job/${id}`;

const upTo = (count: number): readonly number[] => Array.from({ length: Math.max(0, count) }, (_, index) => index);

/**
 * Slots that a job may take. After a deployment that lowered the number, jobs in slots beyond it still count, so that never more
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

/** Slots from which a job may start now: none started from them within a period, and without a booking of its own nobody booked them. */
export function startSlots(slots: readonly Slot[], { n, perMs }: AppliedRate, now: number, booked: boolean): readonly number[] {
  const byIndex = new Map(slots.map((slot) => [slot.index, slot]));
  const beyond = slots.filter((slot) => slot.index >= n && startedWithin(slot, perMs, now)).length;
  return upTo(n - beyond).filter((index) => {
    const slot = byIndex.get(index);
    return slot === undefined || (!startedWithin(slot, perMs, now) && (booked || slot.until <= now));
  });
}

/** When and where a job that cannot start may start: `index` is absent where its old booking is still good. */
export interface Booking {
  readonly at: number;
  readonly index?: number;
}

/** The next start that nobody booked; for a job with a booking that came a moment early, the moment at which it is good. */
export function nextStart(slots: readonly Slot[], { n, perMs }: AppliedRate, now: number, booked: boolean): Booking {
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

/** The bookings of a job as one text: they are good at the instant at which it is due, and at no other. */
export function bookedText(at: string, hashes: readonly string[]): string {
  return `${at} ${hashes.join(',')}`;
}

/** Which limits a job has booked a start with at `dueAt`. A retry or another due time makes them void. */
export function bookedHashes(booked: string | undefined, dueAt: string): ReadonlySet<string> {
  const [at, hashes = ''] = (booked ?? '').split(' ');
  return new Set(at === dueAt ? hashes.split(',') : []);
}

/** The same with the limit under which the job was parked and has been released since: its turn has come, until it is due anew. */
export function releasedText(booked: string | undefined, dueAt: string, hash: string): string {
  const hashes = [...bookedHashes(booked, dueAt)];
  return `${bookedText(dueAt, hashes.length === 0 ? ['-'] : hashes)} ${hash}`;
}

/** Whether a job was released from this limit for the run for which it is due. */
export function wasReleased(booked: string | undefined, dueAt: string, hash: string): boolean {
  return releasedFrom(booked, dueAt) === hash;
}

/** The limit from which a job was released for the run for which it is due. */
export function releasedFrom(booked: string | undefined, dueAt: string): string | undefined {
  const [at, , released] = (booked ?? '').split(' ');
  return at === dueAt ? released : undefined;
}
