import { type Job, type LeasedJob, ranBefore, mayBeLate } from '../../../shared/job/job.ts';
import { type Schedule, comesAfter, isLate } from '../../../shared/features/schedules/model/schedule.ts';
import {
  takeScheduleTurn,
  takeWaitingPlace,
  type TurnLeft,
  type TurnTerms,
} from '../../../shared/features/schedules/store/schedule-turn.ts';
import { joinLine, leaveLine, lookAhead, type Standing } from '../../../shared/features/schedules/store/schedule-line.ts';
import { type Cancelled, cancelFound, cancelTerms } from '../../../shared/store/cancel.ts';
import type { Living } from '../../../shared/store/locate.ts';
import { CHANGED } from '../../../shared/store/until-unchanged.ts';
import type { ExecutorDeps } from '../deps.ts';
import { jobEnded, ifCancelled, sendBack, note, type Gate } from '../held-job.ts';
import { RowUnreadableError } from '../../../shared/job/errors.ts';
import { lockGroup } from '../../../shared/job/hint.ts';
import { iso } from '../../../shared/job/instant.ts';
import { takeCatchUp } from '../../../shared/features/schedules/store/catch-up.ts';
import { endAsSkipped, type SkipFence } from '../../../shared/features/schedules/store/end-as-skipped.ts';
import { readUntimedSchedule } from '../../../shared/features/schedules/store/untimed-schedule.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import type { Disposition } from '../receive.ts';

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
 * start in time and the missed policy leaves it out, or if the overlap policy does not let it start while an earlier one has not finished.
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
 * Whether the missed policy leaves out an occurrence that fired in time and could not start in time: no executor was there. One that had
 * started before, that its group made wait, or that an operator held back or put off, is not missed. Writes only for a late one of a schedule
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

/** What an occurrence does now; one that waits looks again at that time. */
type Overlap = 'start' | 'skip' | { readonly lookAt: number };

/** How long an occurrence waits before it checks again whether the previous run has finished. */
const LOOK_AGAIN_MS = 30_000;
/** How long after the one before it an occurrence in line looks again, so that a queue delivers them in their order. */
const BEHIND_MS = 1_000;

/**
 * Applies the overlap policy of a schedule to an occurrence that is about to start: it takes the turn, or does what the policy says
 * about the one that has it. One that an operator started or redrove is never skipped, and cancels nothing: it waits.
 */
async function applyOverlap(deps: ExecutorDeps, job: LeasedJob, { definition, anchor }: Schedule): Promise<Overlap> {
  const { name, overlap } = definition;
  if (overlap === 'allow') return 'start';
  const { tables, clock } = deps;
  const asked = isAskedFor(job) || ranBefore(job, 1);
  const policy = asked ? 'queue' : overlap;
  if (policy === 'buffer-one' && !(await takeWaitingPlace(tables, name, job, clock.now()))) return 'skip';
  const place = asked || job.nominalAt === undefined ? {} : { place: { anchor, nominalAt: job.nominalAt } };
  const terms = (): TurnTerms => ({ now: clock.now(), latestWins: policy === 'cancel-other', ...place });
  if (overlap === 'queue' && job.nominalAt !== undefined && !isAskedFor(job))
    return takeInLine(deps, name, { ...job, nominalAt: job.nominalAt }, terms());
  const turn = await takeScheduleTurn(tables, name, job, terms());
  if (turn.taken) return 'start';
  if (policy === 'skip' || turn.passed) return 'skip';
  if (policy !== 'cancel-other') return waitFor(deps, turn);
  const { holder, leaseUntil = 0 } = turn;
  // What operators suspended or started is left, and waited for.
  if (holder === undefined || holder.state === 'suspended' || isAskedFor(holder.job)) return waitFor(deps, turn);
  // A handler that outlived its attempt may go on until the lease ends, and its job is in the queue by then.
  if (holder.state !== 'running' && leaseUntil > clock.now()) return { lookAt: leaseUntil };
  const outcome = await cancelHolder(deps, name, holder);
  if (outcome === CHANGED) return waitFor(deps, turn);
  if (outcome === 'cancel-requested') return { lookAt: clock.now() + deps.deployment.settings.cancelPollMs };
  const again = await takeScheduleTurn(tables, name, job, terms());
  return again.taken ? 'start' : again.passed ? 'skip' : waitFor(deps, again);
}

/**
 * Takes the turn in the order of the times, for `queue`: an occurrence that finds it taken gets a place in line, and none starts while another one
 * has a place before it. It costs a query, and two writes for one that waits.
 */
async function takeInLine(deps: ExecutorDeps, name: string, job: LeasedJob & { nominalAt: number }, terms: TurnTerms): Promise<Overlap> {
  const { tables, clock, deployment } = deps;
  let standing: Standing | undefined;
  const isBehind = async (): Promise<boolean> => {
    standing = await lookAhead(tables, name, job);
    return standing.firstDueAt !== undefined;
  };
  const turn = await takeScheduleTurn(tables, name, job, { ...terms, isBehind });
  const { firstDueAt, hasPlace = false } = standing ?? {};
  if (turn.taken) {
    if (hasPlace) await leaveLine(tables, name, job);
    return 'start';
  }
  const now = clock.now();
  if (!hasPlace) await joinLine(tables, name, job, now);
  if (firstDueAt === undefined) return waitFor(deps, turn);
  return { lookAt: Math.min(now + deployment.settings.delayHorizonMs, Math.max(firstDueAt + BEHIND_MS, now + LOOK_AGAIN_MS)) };
}

/** Whether an operator started it. One that was redriven has an error, as one that is retried has. */
function isAskedFor({ runNow, kind }: Pick<Job, 'runNow' | 'kind'>): boolean {
  return runNow === true || kind === 'async';
}

/** Cancels an earlier occurrence as it was found, with the schedule as the actor. One that runs has to stop first. */
async function cancelHolder(deps: ExecutorDeps, schedule: string, holder: Living): Promise<Cancelled['outcome'] | typeof CHANGED> {
  const terms = { ...cancelTerms(deps), cancelReason: 'overlap', cancelledBy: `schedule ${schedule}` };
  const done = await cancelFound(deps.tables, holder, terms);
  if (done === CHANGED) return done;
  if (done.outcome === 'cancelled') jobEnded(deps, holder.job, 'cancelled', { reason: 'overlap' });
  return done.outcome;
}

/** Until the run that has the turn is retried, or for a moment; never beyond the delay that the queue supports. */
function waitFor({ clock, deployment }: ExecutorDeps, { holder }: TurnLeft): Overlap {
  const now = clock.now();
  return { lookAt: Math.min(now + deployment.settings.delayHorizonMs, Math.max(holder?.job.dueAt ?? 0, now + LOOK_AGAIN_MS)) };
}
