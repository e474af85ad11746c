import { iso } from '../../../shared/job/instant.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import type { AppliedRate } from '../../../shared/job/limit.ts';
import { bookedHashes, bookedText } from '../../../shared/job/rate-bookings.ts';
import { nextStart, type Slot, slotOwner, startSlots } from '../../../shared/features/limits/model/slots.ts';
import { readSlots, writeRateSlot } from '../../../shared/features/limits/store/slots.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import type { Disposition } from '../receive.ts';
import { sendBack } from '../held-job.ts';

/** How often a job tries again after it lost the race for a slot. */
const LOOKS = 10;

/** Starts the job under all of its rates, or books a start with each and sends it back until then. */
export async function startOrBook(
  invocation: ExecutorInvocation,
  job: LeasedJob,
  rates: readonly AppliedRate[],
): Promise<'pass' | Disposition> {
  const booked = bookedHashes(job.booked, iso(job.dueAt));
  let at = await roomAt(invocation, rates, booked);
  if (at === 0) {
    let started = true;
    for (const rate of rates) started &&= await start(invocation, job, rate, booked.has(rate.hash));
    if (started) return 'pass';
    // Another job was faster.
    at = await roomAt(invocation, rates, booked);
  }
  for (const rate of rates) at = await book(invocation, job, rate, { booked: booked.has(rate.hash), notBefore: at });
  return goBackUntil(invocation, job, at, rates);
}

/**
 * When all of several rates have room; 0 if they have room now. They are checked before any start is taken, because a start taken
 * under one rate is used up even if another has none. A single rate is only checked when its start is taken.
 */
async function roomAt({ deps }: ExecutorInvocation, rates: readonly AppliedRate[], booked: ReadonlySet<string>): Promise<number> {
  let at = 0;
  for (const rate of rates.length === 1 ? [] : rates) {
    const slots = await readSlots(deps.tables, rate.hash);
    const now = deps.clock.now();
    const mine = booked.has(rate.hash);
    if (startSlots(slots, rate, now, mine).length === 0) at = Math.max(at, nextStart(slots, rate, now, mine).at);
  }
  return at;
}

/** A write that took longer than this moves the start: the handler could not begin before its reply. */
const SLOW_WRITE_MS = 1_000;

/** Takes a start now: the same slot gives no other one within a period. */
async function start({ deps }: ExecutorInvocation, job: LeasedJob, rate: AppliedRate, booked: boolean): Promise<boolean> {
  const { tables, clock, entropy } = deps;
  let taken: Slot | undefined;
  for (let look = 0; look < LOOKS; look++) {
    const slots = taken === undefined ? await readSlots(tables, rate.hash) : [taken];
    const now = clock.now();
    if (taken?.startedAt !== undefined && now - taken.startedAt <= SLOW_WRITE_MS) return true;
    const free = startSlots(slots, rate, now, booked);
    const index = taken?.index ?? free[Math.floor(entropy.random() * free.length)];
    if (index === undefined) return false;
    const seen = slots.find((slot) => slot.index === index);
    // A later booking of the slot is kept.
    const stacked = seen !== undefined && seen.until > now + rate.perMs;
    const owner = stacked ? seen.owner : slotOwner(job.id);
    const next: Slot = { index, owner, until: stacked ? seen.until : now + rate.perMs, claim: job.lockOwner, startedAt: now };
    taken = (await writeRateSlot(tables, rate, next, seen)) ? next : undefined;
  }
  return false;
}

/** Books the first free start and returns its instant. First come, first served. */
async function book(
  { deps }: ExecutorInvocation,
  job: LeasedJob,
  rate: AppliedRate,
  terms: { readonly booked: boolean; readonly notBefore: number },
): Promise<number> {
  const { tables, clock } = deps;
  let at = terms.notBefore;
  for (let look = 0; look < LOOKS; look++) {
    const slots = await readSlots(tables, rate.hash);
    const booked = nextStart(slots, rate, clock.now(), terms.booked);
    at = Math.max(booked.at, terms.notBefore);
    const { index } = booked;
    if (index === undefined) return at;
    const seen = slots.find((slot) => slot.index === index);
    const next: Slot = { ...seen, index, owner: slotOwner(job.id), until: at + rate.perMs };
    if (await writeRateSlot(tables, rate, next, seen)) return at;
  }
  // Under heavy contention the job tries again later; it never starts without its own booking.
  return at;
}

async function goBackUntil({ deps }: ExecutorInvocation, job: LeasedJob, at: number, rates: readonly AppliedRate[]): Promise<Disposition> {
  const booked = bookedText(
    iso(at),
    rates.map(({ hash }) => hash),
  );
  return sendBack(deps, job, { dueAt: at, set: { booked }, reason: rates.map(({ name }) => name).join() });
}
