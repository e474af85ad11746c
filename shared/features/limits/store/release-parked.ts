import { jobRef } from '../../../ports/journal.ts';
import { iso } from '../../../job/instant.ts';
import type { Job } from '../../../job/job.ts';
import type { AppliedLimit } from '../../../job/limit.ts';
import { releasedText } from '../../../job/rate-bookings.ts';
import { freeSlots, type Slot, slotOwner } from '../model/slots.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Entropy } from '../../../ports/entropy.ts';
import { keyOf, TABLE_SPECS } from '../../../ports/table-spec.ts';
import type { Condition, Row, Tables } from '../../../ports/tables.ts';
import { noRow, revIs } from '../../../store/conditions.ts';
import { decodeJob } from '../../../store/job-codec.ts';
import { limitPartition } from '../../../store/parked-rows.ts';
import { slotRow } from './slot-rows.ts';
import { readyRow } from '../../../store/ready-row.ts';
import { jobRow } from '../../../store/rows.ts';
import { sendHints, type SendDeps } from '../../../store/send-hints.ts';
import { quarantineInGroup } from '../../../store/burials.ts';
import { tryTransact } from '../../../store/transact.ts';
import { type Claimed, freeSlot, type HeldSlot, readSlots, slotFree, takenBy } from './slots.ts';

/** What a release works with. */
export interface ReleaseDeps extends SendDeps {
  readonly deployment: { readonly settings: { readonly redispatchAfterMs: number; readonly leaseMarginMs: number } };
  readonly tables: Tables;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** A slot for a parked job, if its row still meets the condition. */
interface Vacancy {
  readonly limit: Pick<AppliedLimit, 'hash' | 'name'>;
  readonly index: number;
  readonly condition: Condition;
}

/** Parked jobs that are looked at for one slot: those before may have been cancelled or moved since, or be unreadable. */
const LOOKS = 5;
/** Slots filled in one call; the next call continues. */
const MAX_ROUNDS = 20;

/**
 * Passes the slot to the job that was parked first, in one transaction, so that no other job can take it; without one it is
 * free. What was parked just as it became free is looked for once more.
 */
export async function handOver(deps: ReleaseDeps, job: Claimed, slot: HeldSlot): Promise<void> {
  const { limit, index } = slot;
  // The number was lowered: a slot beyond it ends with its job.
  if (index >= limit.n) return freeSlot(deps.tables, job, slot);
  if (await releaseOldest(deps, { limit, index, condition: takenBy(job.lockOwner) }, false)) return;
  await freeSlot(deps.tables, job, slot);
  await releaseOldest(deps, freeNow(deps, limit, index), true);
}

/** Releases parked jobs, the first one first, as long as there is room. Returns how many. */
export async function fillRoom(deps: ReleaseDeps, limit: Pick<AppliedLimit, 'hash' | 'name' | 'n'>, stopAt: number): Promise<number> {
  let released = 0;
  for (let round = 0; round < MAX_ROUNDS && deps.clock.now() < stopAt; round++) {
    const slots = await readSlots(deps.tables, limit.hash);
    const free = freeSlots(slots, limit.n, deps.clock.now());
    let progress = false;
    for (const index of free) {
      if (!(await releaseOldest(deps, freeNow(deps, limit, index, slots), true))) break;
      released++;
      progress = true;
    }
    if (!progress) break;
  }
  return released;
}

function freeNow({ clock }: ReleaseDeps, limit: Vacancy['limit'], index: number, slots: readonly Slot[] = []): Vacancy {
  const seen = slots.find((slot) => slot.index === index);
  return { limit, index, condition: slotFree(clock.now(), seen) };
}

/** True when the slot was given to a parked job. */
async function releaseOldest(deps: ReleaseDeps, vacancy: Vacancy, consistent: boolean): Promise<boolean> {
  const partition = limitPartition(vacancy.limit.hash);
  const { rows } = await deps.tables.query({ table: 'timers', partition, limit: LOOKS, consistent });
  for (const row of rows) {
    const parked = await readOrQuarantine(deps, row);
    if (parked === undefined) continue;
    const result = await release(deps, parked, keyOf(TABLE_SPECS.timers, row), vacancy);
    if (result !== 'gone') return result === 'released';
  }
  return false;
}

/** One transaction, then the hint. `gone`: another process cancelled, moved or released the job; `taken`: another job has the slot. */
async function release(
  deps: ReleaseDeps,
  parked: Job,
  key: Readonly<Record<string, string>>,
  { limit, index, condition }: Vacancy,
): Promise<'released' | 'gone' | 'taken'> {
  const { redispatchAfterMs, leaseMarginMs } = deps.deployment.settings;
  const now = deps.clock.now();
  const token = deps.entropy.token();
  const booked = releasedText(parked.booked, iso(parked.dueAt), limit.hash);
  const ready = readyRow({ ...parked, booked }, { token, now, redispatchAfterMs });
  // Long enough for a hint that is lost and sent again by the sweeper: until then the job keeps its place.
  const until = now + 2 * redispatchAfterMs + leaseMarginMs;
  const outcome = await tryTransact(deps.tables, `release/${parked.id}/${parked.rev}/${token}`, {
    parked: { op: 'delete', table: 'timers', key, condition: revIs(parked.rev) },
    job: { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
    slot: { op: 'put', table: 'control', row: slotRow(limit, { index, owner: slotOwner(parked.id), until }), condition },
  });
  if (!outcome.applied) {
    if (outcome.failed('parked')) return 'gone';
    if (!outcome.failed('job') || outcome.failed('slot')) return 'taken';
    // The job exists in Jobs too, which only a restored or hand-made row can cause: the parked row is deleted.
    await deps.tables.write({ op: 'delete', table: 'timers', key, condition: revIs(parked.rev) });
    return 'gone';
  }
  deps.journal.record({ event: 'released', worker: parked.worker, job: jobRef(parked), reason: limit.name });
  await sendHints(deps, [ready], now);
  return 'released';
}

/** An unreadable row must not block the others forever. */
async function readOrQuarantine(deps: ReleaseDeps, row: Row): Promise<Job | undefined> {
  try {
    return decodeJob(row);
  } catch (error) {
    await quarantineInGroup(deps, { table: 'timers', row, error });
    return undefined;
  }
}
