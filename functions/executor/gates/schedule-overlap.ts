import { type Job, type LeasedJob, ranBefore } from '../../../shared/job/job.ts';
import type { Schedule } from '../../../shared/features/schedules/model/schedule.ts';
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
import { jobEnded } from '../held-job.ts';

/** What an occurrence does now; one that waits looks again at that time. */
export type Overlap = 'start' | 'skip' | { readonly lookAt: number };

/** How long an occurrence waits before it checks again whether the previous run has finished. */
const LOOK_AGAIN_MS = 30_000;
/** How long after the one before it an occurrence in line looks again, so that a queue delivers them in their order. */
const BEHIND_MS = 1_000;

/**
 * Applies the overlap policy of a schedule to an occurrence that is about to start: it takes the turn, or does what the policy says
 * about the one that has it. One that an operator started or redrove is never skipped, and cancels nothing: it waits.
 */
export async function applyOverlap(deps: ExecutorDeps, job: LeasedJob, { definition, anchor }: Schedule): Promise<Overlap> {
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

/** Whether an operator started it; one that was redriven is told by its error, as one that is retried. */
export function isAskedFor({ runNow, kind }: Pick<Job, 'runNow' | 'kind'>): boolean {
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
