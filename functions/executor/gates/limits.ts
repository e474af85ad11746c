import { handOver, fillRoom } from '../../../shared/features/limits/store/release-parked.ts';
import { inForce } from '../../../shared/features/limits/model/operator-limit.ts';
import { extendSlot, type HeldSlot, readSlots, takeSlot } from '../../../shared/features/limits/store/slots.ts';
import { type Hold, type ExecutorInvocation, addHold, dropHold } from '../invocation.ts';
import { DefinitionThrewError, InvalidInputError, NonRetryableError } from '../../../shared/job/errors.ts';
import { iso } from '../../../shared/job/instant.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { codecFailed } from '../../../shared/job/payload-codec.ts';
import { jobInfo } from '../../../shared/job/job-info.ts';
import { type AnyLimit, type AppliedLimit, type AppliedRate, appliedLimits } from '../../../shared/job/limit.ts';
import { wasReleased } from '../../../shared/job/rate-bookings.ts';
import { roomFor, slotOwner } from '../../../shared/features/limits/model/slots.ts';
import { anyParked, park } from '../../../shared/store/park.ts';
import { idKey } from '../../../shared/store/rows.ts';
import { ifCancelled, note, type Candidate, type Gate } from '../held-job.ts';
import type { Disposition } from '../receive.ts';
import { decideAndRecord } from '../record.ts';
import { readPayload } from '../run.ts';
import { startOrBook } from './rates.ts';

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
    const { own, free } = roomFor({ id: job.id, turn }, await readSlots(tables, limit.hash), limit.n, now);
    if (own === undefined && (free.length === 0 || (look === 0 && !turn && (await anyParked(tables, limit.hash))))) return false;
    // Another claim of the job has it: an earlier one, or a later one if this process stood still, which must not take it then.
    const isTaken = own?.claim !== undefined && own.claim !== job.lockOwner;
    if (isTaken && (await tables.get('jobs', idKey(job.id)))?.['lockOwner'] !== job.lockOwner) return false;
    const index = own?.index ?? free[Math.floor(entropy.random() * free.length)] ?? 0;
    const slot = { limit, index, until: Math.max(job.lockExpiresAt, own?.until ?? 0) };
    const hold = slotHold(slot);
    addHold(invocation, job, hold);
    // The slot no longer exists: it was handed over under an older limit. It is taken only to be released. A job that held it before keeps it.
    if (await takeSlot(tables, job, slot, { own, now })) return index < limit.n || own?.claim !== undefined;
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
