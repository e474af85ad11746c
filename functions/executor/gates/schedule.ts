import { RowUnreadableError } from '../../../shared/job/errors.ts';
import { lockGroup } from '../../../shared/job/hint.ts';
import { iso } from '../../../shared/job/instant.ts';
import { type LeasedJob, mayBeLate, ranBefore } from '../../../shared/job/job.ts';
import { comesAfter, isLate, type Schedule } from '../../../shared/features/schedules/model/schedule.ts';
import { cancelTerms } from '../../../shared/store/cancel.ts';
import { takeCatchUp } from '../../../shared/features/schedules/store/catch-up.ts';
import { endAsSkipped, type SkipFence } from '../../../shared/features/schedules/store/end-as-skipped.ts';
import { readUntimedSchedule } from '../../../shared/features/schedules/store/untimed-schedule.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { ifCancelled, sendBack, jobEnded, note, type Gate } from '../held-job.ts';
import type { Disposition } from '../receive.ts';
import type { ExecutorDeps } from '../deps.ts';
import { applyOverlap, isAskedFor } from './schedule-overlap.ts';

/** A sandbox's cached view of a schedule. */
interface Seen {
  readonly schedule: Schedule | 'unreadable' | undefined;
  readonly at: number;
}

const CACHE_MS = 5_000;
/** Kept per executor, so that two in one process do not share it. Schedules are few. */
const caches = new WeakMap<ExecutorDeps['handlers'], Map<string, Seen>>();

/**
 * Checks the schedule of an occurrence. It does not start if it was fired ahead and its schedule was paused or deleted since, if it could not
 * start in time and the missed policy leaves it out, or if the overlap policy does not let it start beside an earlier one that has not finished.
 * Such a run ends as `skipped`, or waits. Jobs without a schedule cost nothing, nor do backfilled ones.
 */
export const scheduleGate: Gate = async (invocation, { job }) => {
  if (job.schedule === undefined || job.backfill === true) return 'pass';
  const schedule = await seenLately(invocation.deps, job.schedule);
  // Before the job is stopped, the cached answer is confirmed; it may be seconds old.
  if (stops(job, schedule) !== undefined) {
    const fence = stops(job, await look(invocation.deps, job.schedule));
    if (fence !== undefined) return skip(invocation, job, fence);
  }
  if (schedule === undefined || schedule === 'unreadable') return 'pass';
  if (await isMissed(invocation.deps, job, schedule)) return skip(invocation, job, { schedule: 'missed' });
  const overlap = await applyOverlap(invocation.deps, job, schedule);
  if (overlap === 'start') return 'pass';
  if (overlap === 'skip') return skip(invocation, job, { schedule: 'there' });
  return sendBack(invocation.deps, job, { dueAt: overlap.lookAt, reason: 'overlap' });
};

function stops(job: LeasedJob, schedule: Seen['schedule']): SkipFence | undefined {
  // One that ran before was not fired ahead: this is a retry or a continuation.
  if (job.runNow === true || schedule === 'unreadable' || ranBefore(job, 1)) return undefined;
  if (schedule === undefined) return { schedule: 'gone' };
  const { paused } = schedule;
  return paused !== undefined && comesAfter(paused, job.id) ? { schedule: 'paused', pausedAt: iso(paused.at) } : undefined;
}

/**
 * Whether the missed policy leaves out an occurrence that fired in time and could not start in time: no executor was there. One that was
 * claimed before, that its group made wait, or that an operator held back or put off, is not missed. Writes only for a late one of a schedule
 * that coalesces.
 */
async function isMissed({ tables, clock }: ExecutorDeps, job: LeasedJob, { definition }: Schedule): Promise<boolean> {
  const { id, nominalAt, dueAt } = job;
  const { name, missed } = definition;
  const now = clock.now();
  if (missed === 'all' || nominalAt === undefined || !isLate(definition, Math.max(nominalAt, dueAt - definition.jitterMs), now))
    return false;
  if (isAskedFor(job) || ranBefore(job, 1) || mayBeLate(job) || lockGroup(job) !== undefined) return false;
  return missed === 'skip' || !(await takeCatchUp(tables, name, { id, nominalAt }, now));
}

async function skip({ deps }: ExecutorInvocation, job: LeasedJob, fence: SkipFence): Promise<Disposition> {
  const reason = fence.schedule === 'there' ? 'overlap' : fence.schedule;
  const ended = await endAsSkipped(deps.tables, job, fence, cancelTerms(deps));
  if (ended.result === 'skipped') jobEnded(deps, job, 'skipped', { reason });
  else if (!(await ifCancelled(deps, job, ended))) note(deps, job, 'lost-lease');
  return 'acknowledge';
}

async function seenLately(deps: ExecutorDeps, name: string): Promise<Seen['schedule']> {
  const seen = caches.get(deps.handlers)?.get(name);
  const age = seen === undefined ? CACHE_MS : deps.clock.now() - seen.at;
  // If the clock was set back, the cached view looks younger than it is.
  return seen !== undefined && age >= 0 && age < CACHE_MS ? seen.schedule : look(deps, name);
}

async function look(deps: ExecutorDeps, name: string): Promise<Seen['schedule']> {
  const at = deps.clock.now();
  const schedule = await readUntimedSchedule(deps.tables, name).catch(unreadable);
  const cache = caches.get(deps.handlers) ?? new Map<string, Seen>();
  caches.set(deps.handlers, cache.set(name, { schedule, at }));
  return schedule;
}

/** An unreadable row stops no run. */
function unreadable(error: unknown): 'unreadable' {
  if (error instanceof RowUnreadableError) return 'unreadable';
  throw error;
}
