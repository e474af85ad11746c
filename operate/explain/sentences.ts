import { isLate, nextTickBy } from '../../shared/job/late-tick.ts';
import { iso } from '../../shared/job/instant.ts';
import { ranBefore, type Job } from '../../shared/job/job.ts';
import { suspensionFor, type Suspension, workerOfScope } from '../../shared/features/rules/model/rules.ts';
import { comesAfter } from '../../shared/features/schedules/model/schedule.ts';
import type { Settings } from '../../shared/config/settings.ts';
import type { LastHeartbeat, Facts } from './facts.ts';
import { plural } from '../../shared/job/plural.ts';

/** A number with its noun, in the plural where it is not 1. */
export const counted = (n: number, noun: string, many?: string): string => `${n} ${plural(n, noun, many)}`;

/** What the sweeper will do, and the latest time for it: `at` is absent if unknown. */
export interface SweeperStep {
  readonly at?: number;
  /** How a sentence about it ends: `at the latest at ...`. */
  readonly when: string;
  /** Set when it does not run. */
  readonly late?: string;
}

/** When the sweeper settles a lease that ends at `until`: once it is over on every clock, when its scan comes by. */
export function sweptAfter(until: number, { settings, sweeper }: Pick<Facts, 'settings' | 'sweeper'>, now: number): SweeperStep {
  const { sweepSkewMs, sweeperIntervalMs, sweepSegments } = settings;
  const late = lateHeartbeat('sweeper', sweeper, settings, now);
  if (late !== undefined) return { when: 'when it runs again', late };
  const passed = Number(sweeper?.report['passedSegments'] ?? sweepSegments);
  if (passed < sweepSegments)
    return { when: `in one of its next runs (its last one saw ${passed} of ${sweepSegments} segments of Jobs to their end)` };
  const at = nextTickBy(Math.max(now, until + sweepSkewMs), sweeperIntervalMs);
  return { at, when: `at the latest at ${iso(at)}` };
}

/** Says that a function does not run, if so, and where to look. */
export function lateHeartbeat(
  who: 'acquirer' | 'sweeper',
  beat: LastHeartbeat | undefined,
  settings: Settings,
  now: number,
): string | undefined {
  const intervalMs = who === 'acquirer' ? settings.acquirerIntervalMs : settings.sweeperIntervalMs;
  if (beat === undefined || !isLate(beat.at, intervalMs, now)) return undefined;
  const since = beat.at === undefined ? 'has never ended a run' : `has not ended a run since ${iso(beat.at)}`;
  const effect = who === 'acquirer' ? 'no timer fires' : 'nothing that was lost is found again';
  return `The ${who} ${since}: ${effect} until it does. Look at the alarm ${who}-heartbeat, and whether the deployment is switched off.`;
}

/** A scope as the subject of a sentence. */
export function scopeInWords(scope: string): string {
  if (scope === 'all') return 'Everything';
  const { type, worker } = workerOfScope(scope) ?? {};
  if (type !== undefined) return `The type ${type} on worker ${worker}`;
  const [kind = ''] = scope.split('#', 1);
  return `The ${kind} ${scope.slice(kind.length + 1)}`;
}

/** A suspension in words. */
export function suspensionText({ scope, reason, actor, at, until, createdAfter }: Suspension): string {
  const end = until === undefined ? 'until an operator ends it' : `until ${iso(until)}`;
  const which = createdAfter === undefined ? '' : ` for jobs created after ${iso(createdAfter)}`;
  return `${scopeInWords(scope)} is suspended since ${iso(at)}${which} by ${actor} (${reason}), ${end}.`;
}

/** The suspension that will apply when the job is due, by the current rules. */
export function suspensionAtDue({ rules, deployed }: Facts, job: Job, now: number): Suspension | undefined {
  return rules === undefined ? undefined : suspensionFor(job, rules, Math.max(now, job.dueAt), deployed);
}

/** Why its schedule keeps an occurrence that did not run yet from starting; undefined where it does not. */
export function scheduleStop({ schedule }: Facts, job: Job): string | undefined {
  if (job.schedule === undefined || job.runNow === true || ranBefore(job) || schedule === undefined || schedule === 'unreadable')
    return undefined;
  if (schedule === 'gone') return `Its schedule ${job.schedule} does not exist any more, so it will not start.`;
  const { paused } = schedule;
  if (paused === undefined || !comesAfter(paused, job.id)) return undefined;
  const why = paused.reason === undefined ? '' : ` (${paused.reason})`;
  return `Its schedule ${job.schedule} is paused since ${iso(paused.at)}${why}, so it will not start.`;
}

/** What failed last, for a job that ran before. */
export function lastFailure({ error, failures }: Job): readonly string[] {
  if (error === undefined) return [];
  const { name, message, at } = error;
  const times = failures > 1 ? `, failure ${failures}` : '';
  return [`It failed last at ${iso(at)}${times}: ${name}: ${sentenceOf(message)}`];
}

/** A text of a user's as the end of a sentence. */
export function sentenceOf(text: string): string {
  const short = text.length > 300 ? `${text.slice(0, 300).toWellFormed()}...` : text.trim();
  return /[.!?]$/u.test(short) ? short : `${short}.`;
}

/** What operators said about the job itself, and its tries. */
export function operatorsWord({ runNow, triesLimit }: Job): readonly string[] {
  return [
    ...(runNow === true ? ['An operator exempted it from suspensions.'] : []),
    ...(triesLimit === undefined ? [] : [`It was given ${counted(triesLimit, 'try', 'tries')} in all.`]),
  ];
}

/** Until when a job has to start that has not ended and never started; a job that waits for something else does not expire before its turn. */
export function startLimit(job: Facts['located']['job'], now: number): readonly string[] {
  if (job.startBy === undefined || ranBefore(job)) return [];
  const by = iso(job.startBy);
  return [job.startBy < now ? `It had to start by ${by}, so it expires when its turn comes.` : `It has to start by ${by}, or it expires.`];
}

/** Says that nothing receives its messages. */
export function goneWorker(worker: string): string {
  return `Its worker ${worker} is not part of this deployment, so its queue does not exist or is not read. Deploy the worker, or cancel the job.`;
}
