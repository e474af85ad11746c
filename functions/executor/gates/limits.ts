import { DefinitionThrewError, InvalidInputError, NonRetryableError } from '../../../shared/core/errors.ts';
import { iso } from '../../../shared/core/instant.ts';
import type { LeasedJob } from '../../../shared/core/job.ts';
import { jobInfo } from '../../../shared/core/job-info.ts';
import { type AnyLimit, type AppliedLimit, type AppliedRate, appliedLimits } from '../../../shared/core/limit.ts';
import { roomFor, slotOwner, wasReleased } from '../../../shared/features/limits/model/slots.ts';
import { anyParked, park } from '../../../shared/features/limits/store/park.ts';
import { fillRoom } from '../../../shared/features/limits/store/release-parked.ts';
import { readSlots, takeSlot } from '../../../shared/features/limits/store/slots.ts';
import type { Batch } from '../batch.ts';
import { dropSlot, noteSlot } from '../held-slots.ts';
import { ifCancelled } from '../if-cancelled.ts';
import type { Disposition } from '../requeue.ts';
import { note } from '../deps.ts';
import { decideAndRecord } from '../record.ts';
import { readPayload } from '../run-handler.ts';
import type { Candidate, Gate } from './gate.ts';
import { startOrBook } from './rates.ts';

/** How often a job looks for room again after somebody was faster. */
const LOOKS = 5;

/**
 * Lets a job start when each of its limits has room, and takes it. Without room it waits elsewhere: parked until a slot is handed to
 * it, or due again at the start that it booked. What it had taken by then is given back when its claim has ended.
 */
export const limitsGate: Gate = async (batch, candidate) => {
  const { job, handled } = candidate;
  const limits = [...(batch.deps.limits ?? []), ...handled.type.limits];
  if (limits.length === 0) return 'pass';
  const applied = await against(batch, candidate, limits);
  if (!Array.isArray(applied)) return applied as Disposition;
  const rates: AppliedRate[] = [];
  for (const limit of applied as readonly AppliedLimit[]) {
    if (limit.perMs !== undefined) rates.push({ ...limit, perMs: limit.perMs });
    else if (!(await takeRoom(batch, job, limit))) {
      await takeHandedOver(batch, job, applied as readonly AppliedLimit[]);
      return parkUnder(batch, job, limit);
    }
  }
  return rates.length === 0 ? 'pass' : startOrBook(batch, job, rates);
};

/** The limits of this very job. A key that throws, or is none, is a failure of the job as if its handler had thrown. */
async function against(
  batch: Batch,
  { job, handled }: Candidate,
  limits: readonly AnyLimit[],
): Promise<readonly AppliedLimit[] | Disposition> {
  const { deps } = batch;
  let payload: unknown;
  if (limits.some(({ key }) => key !== undefined)) {
    try {
      payload = (await readPayload(handled, job)).output;
    } catch {
      // Its handler is never called; its run says why.
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
    const now = deps.clock.now();
    const ended = { job, outcome: { kind: 'threw', error } as const, startedAt: now, endedAt: now, requestId: batch.requestId };
    await decideAndRecord(deps, handled, { ...ended, token: deps.entropy.token(), unsettled: false });
    return 'acknowledge';
  }
}

/** Takes the slot that was handed to the job, or a free one if nobody waits for it. */
async function takeRoom(batch: Batch, job: LeasedJob, limit: AppliedLimit): Promise<boolean> {
  const { tables, clock, entropy } = batch.deps;
  const turn = wasReleased(job.booked, iso(job.dueAt), limit.hash);
  for (let look = 0; look < LOOKS; look++) {
    const now = clock.now();
    const { own, free } = roomFor({ id: job.id, turn }, await readSlots(tables, limit.hash), limit.n, now);
    if (own === undefined && (free.length === 0 || (look === 0 && !turn && (await anyParked(tables, limit.hash))))) return false;
    const index = own?.index ?? free[Math.floor(entropy.random() * free.length)] ?? 0;
    const slot = { limit, index, until: Math.max(job.lockExpiresAt, own?.until ?? 0) };
    noteSlot(batch, job, slot);
    // A slot that is gone was handed over by somebody who knew the old number: taken to be given back. One claimed before is run on in.
    if (await takeSlot(tables, job, slot, { own, now })) return index < limit.n || own?.claim !== undefined;
    dropSlot(batch, job, slot);
  }
  return false;
}

/**
 * The slot for which the job was released stands idle while it waits for another limit: it is taken, to be given back with the rest
 * when this claim ends.
 */
async function takeHandedOver(batch: Batch, job: LeasedJob, applied: readonly AppliedLimit[]): Promise<void> {
  const { tables, clock } = batch.deps;
  const limit = applied.find(({ hash }) => wasReleased(job.booked, iso(job.dueAt), hash));
  if (limit === undefined) return;
  const own = (await readSlots(tables, limit.hash)).find(({ owner, claim }) => owner === slotOwner(job.id) && claim === undefined);
  if (own === undefined) return;
  const slot = { limit, index: own.index, until: job.lockExpiresAt };
  noteSlot(batch, job, slot);
  await takeSlot(tables, job, slot, { own, now: clock.now() });
}

async function parkUnder(batch: Batch, job: LeasedJob, limit: AppliedLimit): Promise<Disposition> {
  const { deps } = batch;
  const now = deps.clock.now();
  const parked = await park(deps.tables, job, { limit, now });
  if (parked.result !== 'parked') {
    await ifCancelled(deps, job, parked);
    return 'acknowledge';
  }
  note(deps, job, 'parked', { reason: limit.name });
  // Room that came up while the job was on its way would find nobody; what fails here is the acquirer's.
  await fillRoom(deps, limit, batch.budget.abortAt).catch((error: unknown) => batch.storeFailed(error));
  return 'acknowledge';
}
