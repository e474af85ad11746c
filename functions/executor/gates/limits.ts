import { iso } from '../../../shared/job/instant.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { type AppliedRate, type AnyLimit, type AppliedLimit, appliedLimits } from '../../../shared/job/limit.ts';
import { bookedHashes, bookedText, wasReleased } from '../../../shared/job/rate-bookings.ts';
import { nextStart, type Slot, slotOwner, startSlots, roomFor } from '../../../shared/features/limits/model/slots.ts';
import { readSlots, writeRateSlot, extendSlot, type HeldSlot, takeSlot } from '../../../shared/features/limits/store/slots.ts';
import { type ExecutorInvocation, type Hold, addHold, dropHold } from '../invocation.ts';
import type { Disposition } from '../receive.ts';
import { sendBack, ifCancelled, note, type Candidate, type Gate } from '../held-job.ts';
import { handOver, fillRoom } from '../../../shared/features/limits/store/release-parked.ts';
import { inForce } from '../../../shared/features/limits/model/operator-limit.ts';
import { DefinitionThrewError, InvalidInputError, NonRetryableError } from '../../../shared/job/errors.ts';
import { codecFailed } from '../../../shared/job/payload-codec.ts';
import { jobInfo } from '../../../shared/job/job-info.ts';
import { anyParked, park } from '../../../shared/store/park.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { decideAndRecord } from '../record.ts';
import { readPayload } from '../run.ts';

/** How often a job tries again after it lost the race for a slot. */
const LOOKS = 5;

/**
 * Lets a job start if each of its limits has a free slot, and takes the slots. Otherwise the job waits: parked until a slot is handed to
 * it, or due again at its booked start. Slots that it had already taken are released when the claim has ended.
 */
export const limitsGate: Gate = async (invocation, candidate) => {
  const { job, handled } = candidate;
  const limits = [...(invocation.deps.limits ?? []), ...handled.type.limits];
  if (limits.length === 0) return 'pass';
  const applied = await against(invocation, candidate, limits);
  if (!Array.isArray(applied)) return applied as Disposition;
  const rates: AppliedRate[] = [];
  const { others } = await invocation.deps.rules.current(invocation.deps);
  for (const coded of applied as readonly AppliedLimit[]) {
    const limit = inForce(coded, others);
    if (limit.perMs !== undefined) rates.push({ ...limit, perMs: limit.perMs });
    else if (!(await takeRoom(invocation, job, limit))) {
      await takeHandedOver(invocation, job, applied as readonly AppliedLimit[]);
      return parkUnder(invocation, job, limit);
    }
  }
  return rates.length === 0 ? 'pass' : startOrBook(invocation, job, rates);
};

/** The limits of this job. A key function that throws or returns an invalid key fails the job as if its handler had thrown. */
async function against(
  invocation: ExecutorInvocation,
  { job, handled }: Candidate,
  limits: readonly AnyLimit[],
): Promise<readonly AppliedLimit[] | Disposition> {
  let payload: unknown;
  if (limits.some(({ key }) => key !== undefined)) {
    try {
      payload = (await readPayload(handled, job)).output;
    } catch (error) {
      // A codec may decode it a moment later, and the job must not run past its limits then.
      if (codecFailed(error)) return failClaimed(invocation, { job, handled }, error);
      // The handler is never called; the recorded run has the reason.
      return [];
    }
  }
  try {
    return appliedLimits(limits, payload, jobInfo(job));
  } catch (cause) {
    const error =
      cause instanceof InvalidInputError
        ? new NonRetryableError(cause.message, { cause })
        : new DefinitionThrewError('limits', job.type, cause);
    return failClaimed(invocation, { job, handled }, error);
  }
}

/** Records an error as if the handler had thrown it. */
async function failClaimed(
  { deps, requestId }: ExecutorInvocation,
  { job, handled }: Pick<Candidate, 'job' | 'handled'>,
  error: Error,
): Promise<Disposition> {
  const now = deps.clock.now();
  const ended = { job, outcome: { kind: 'threw', error } as const, startedAt: now, endedAt: now, requestId };
  await decideAndRecord(deps, handled, { ...ended, token: deps.entropy.token(), unsettled: false });
  return 'acknowledge';
}

/** Takes the slot that was handed to the job, or a free one if no job waits for it. */
async function takeRoom(invocation: ExecutorInvocation, job: LeasedJob, limit: AppliedLimit): Promise<boolean> {
  const { tables, clock, entropy } = invocation.deps;
  const turn = wasReleased(job.booked, iso(job.dueAt), limit.hash);
  for (let look = 0; look < LOOKS; look++) {
    const now = clock.now();
    const slots = await readSlots(tables, limit.hash);
    const { own, free } = roomFor({ id: job.id, turn }, slots, limit.n, now);
    if (own === undefined && (free.length === 0 || (look === 0 && !turn && (await anyParked(tables, limit.hash))))) return false;
    // Another claim of the job has it: an earlier one, or a later one if this process stood still, which must not take it then.
    const isTaken = own?.claim !== undefined && own.claim !== job.lockOwner;
    if (isTaken && (await tables.get('jobs', idKey(job.id)))?.['lockOwner'] !== job.lockOwner) return false;
    const index = own?.index ?? free[Math.floor(entropy.random() * free.length)] ?? 0;
    const slot = { limit, index, until: Math.max(job.lockExpiresAt, own?.until ?? 0) };
    const hold = slotHold(slot);
    addHold(invocation, job, hold);
    // The slot no longer exists: it was handed over under an older limit. It is taken only to be released. A job that held it before keeps it.
    const seen = slots.find((one) => one.index === index);
    if (await takeSlot(tables, job, slot, { own, free: seen, now })) return index < limit.n || own?.claim !== undefined;
    dropHold(invocation, job, hold);
  }
  return false;
}

/**
 * The slot for which the job was released would stay idle while it waits for another limit: it is taken and released with the others
 * when this claim ends.
 */
async function takeHandedOver(invocation: ExecutorInvocation, job: LeasedJob, applied: readonly AppliedLimit[]): Promise<void> {
  const { tables, clock } = invocation.deps;
  const limit = applied.find(({ hash }) => wasReleased(job.booked, iso(job.dueAt), hash));
  if (limit === undefined) return;
  const own = (await readSlots(tables, limit.hash)).find(({ owner, claim }) => owner === slotOwner(job.id) && claim === undefined);
  if (own === undefined) return;
  const slot = { limit, index: own.index, until: job.lockExpiresAt };
  addHold(invocation, job, slotHold(slot));
  await takeSlot(tables, job, slot, { own, now: clock.now() });
}

async function parkUnder(invocation: ExecutorInvocation, job: LeasedJob, limit: AppliedLimit): Promise<Disposition> {
  const { deps } = invocation;
  const now = deps.clock.now();
  const parked = await park(deps.tables, job, { limit, now });
  if (parked.result !== 'parked') {
    await ifCancelled(deps, job, parked);
    return 'acknowledge';
  }
  note(deps, job, 'parked', { reason: limit.name });
  // A slot freed while the job was being parked found no waiting job. If this fails, the acquirer releases the job.
  await fillRoom(deps, limit, invocation.budget.abortAt).catch((error: unknown) => invocation.storeFailed(error));
  return 'acknowledge';
}

/** A slot of a limit. When the claim has ended, it goes to the job that has waited longest for it. */
export const slotHold = (slot: HeldSlot): Hold => ({
  extend: async ({ tables }, job, until) => extendSlot(tables, job, slot, until),
  release: async (deps, job) => {
    // Its number may have changed while the job ran.
    const { others } = await deps.rules.current(deps);
    return handOver(deps, job, { ...slot, limit: inForce(slot.limit, others) });
  },
});

/** How often a job tries again after it lost the race for a start. */
const RATE_LOOKS = 10;

/** Starts the job under all of its rates, or books a start with each and sends it back until then. */
async function startOrBook(invocation: ExecutorInvocation, job: LeasedJob, rates: readonly AppliedRate[]): Promise<'pass' | Disposition> {
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
  for (let look = 0; look < RATE_LOOKS; look++) {
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
  for (let look = 0; look < RATE_LOOKS; look++) {
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
