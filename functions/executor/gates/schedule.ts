import { RowUnreadableError } from '../../../shared/core/errors.ts';
import { iso } from '../../../shared/core/instant.ts';
import { ranBefore, type LeasedJob } from '../../../shared/core/job.ts';
import { comesAfter, type Schedule } from '../../../shared/features/schedules/model/schedule.ts';
import { cancelTerms } from '../../../shared/store/cancel.ts';
import { endAsSkipped, type SkipFence } from '../../../shared/features/schedules/store/end-as-skipped.ts';
import { takeScheduleTurn } from '../../../shared/features/schedules/store/schedule-turn.ts';
import { readSchedule } from '../../../shared/features/schedules/store/schedules.ts';
import type { Batch } from '../batch.ts';
import { ifCancelled } from '../if-cancelled.ts';
import type { Disposition } from '../requeue.ts';
import { type ExecutorDeps, jobEnded, note } from '../deps.ts';
import type { Gate } from './gate.ts';
import { sendBack } from './send-back.ts';

/** What a sandbox last saw of a schedule. */
interface Seen {
  readonly schedule: Schedule | 'unreadable' | undefined;
  readonly at: number;
}

const CACHE_MS = 5_000;
/** By executor, so that two in one process do not meet; schedules are few. */
const caches = new WeakMap<ExecutorDeps['handlers'], Map<string, Seen>>();

/** How long an occurrence waits before it looks again whether the one that has the turn is finished. */
const LOOK_AGAIN_MS = 30_000;

/**
 * Asks the schedule of an occurrence: one that was fired ahead and whose schedule was paused or deleted since does not start, nor does
 * one whose schedule says `skip` while an earlier one is not finished. Such a run ends as `skipped`. With `queue` it waits for the earlier one,
 * and so does one that an operator asked for. Costs jobs without a schedule nothing.
 */
export const scheduleGate: Gate = async (batch, { job }) => {
  if (job.schedule === undefined) return 'pass';
  const schedule = await seenLately(batch.deps, job.schedule);
  // What would stop it must be true now; a sandbox may have seen it some seconds ago.
  if (stops(job, schedule) !== undefined) {
    const fence = stops(job, await look(batch.deps, job.schedule));
    if (fence !== undefined) return skip(batch, job, fence);
  }
  if (schedule === undefined || schedule === 'unreadable' || schedule.definition.overlap === 'allow') return 'pass';
  const { tables, clock } = batch.deps;
  const turn = await takeScheduleTurn(tables, job.schedule, job, clock.now());
  if (turn.taken) return 'pass';
  if (schedule.definition.overlap === 'skip' && !isAskedFor(job)) return skip(batch, job, { schedule: 'there' });
  return waitForTurn(batch, job, turn.holderDueAt);
};

/** Whether an operator started it, redrove it or took it out of its turn: it is not dropped. One that ran before is not either. */
function isAskedFor(job: LeasedJob): boolean {
  return job.runNow === true || job.kind === 'async' || ranBefore(job, 1);
}

/** Until the one that has the turn is tried again, or for a moment; the row stays within reach of its queue. */
async function waitForTurn({ deps }: Batch, job: LeasedJob, holderDueAt = 0): Promise<Disposition> {
  const now = deps.clock.now();
  const latest = now + deps.deployment.settings.delayHorizonMs;
  return sendBack(deps, job, { dueAt: Math.min(latest, Math.max(holderDueAt, now + LOOK_AGAIN_MS)), reason: 'overlap' });
}

function stops(job: LeasedJob, schedule: Seen['schedule']): SkipFence | undefined {
  // One that ran before was not fired ahead: it is only tried again, or goes on.
  if (job.runNow === true || schedule === 'unreadable' || ranBefore(job, 1)) return undefined;
  if (schedule === undefined) return { schedule: 'gone' };
  const { paused } = schedule;
  return paused !== undefined && comesAfter(paused, job.id) ? { schedule: 'paused', pausedAt: iso(paused.at) } : undefined;
}

async function skip({ deps }: Batch, job: LeasedJob, fence: SkipFence): Promise<Disposition> {
  const reason = fence.schedule === 'there' ? 'overlap' : fence.schedule;
  const ended = await endAsSkipped(deps.tables, job, fence, cancelTerms(deps));
  if (ended.result === 'skipped') jobEnded(deps, job, 'skipped', { reason });
  else if (!(await ifCancelled(deps, job, ended))) note(deps, job, 'lost-lease');
  return 'acknowledge';
}

async function seenLately(deps: ExecutorDeps, name: string): Promise<Seen['schedule']> {
  const seen = caches.get(deps.handlers)?.get(name);
  const age = seen === undefined ? CACHE_MS : deps.clock.now() - seen.at;
  // A clock that went back makes a look younger than it is.
  return seen !== undefined && age >= 0 && age < CACHE_MS ? seen.schedule : look(deps, name);
}

async function look(deps: ExecutorDeps, name: string): Promise<Seen['schedule']> {
  const at = deps.clock.now();
  const schedule = await readSchedule(deps.tables, name).catch(unreadable);
  const cache = caches.get(deps.handlers) ?? new Map<string, Seen>();
  caches.set(deps.handlers, cache.set(name, { schedule, at }));
  return schedule;
}

/** A row that says nothing keeps nothing from running. */
function unreadable(error: unknown): 'unreadable' {
  if (error instanceof RowUnreadableError) return 'unreadable';
  throw error;
}
