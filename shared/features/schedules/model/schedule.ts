import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { hash32 } from '../../../job/hash.ts';
import { iso } from '../../../job/instant.ts';
import { FRESH_COUNTERS, type Job } from '../../../job/job.ts';
import { dueAtOf, type JobId, jobIdFrom } from '../../../job/job-id.ts';
import { laneOfJob, type WorkerLanes } from '../../../job/lanes.ts';
import type { ScheduleDefinition } from './definition.ts';
import { nextOccurrence, parseRecurrence, searchFrom } from './recurrence.ts';

/** The origin of a schedule: the code of a deployment, or an operator at run time. */
export type ScheduleOrigin = 'code' | 'operator';

/** Refuses what an operator may not do to a schedule that code declares. */
export function refuseDeclared(name: string, origin: unknown): void {
  if (origin !== 'code') return;
  throw new InvalidInputError('name', name, 'Code declares this schedule. Change it there, pause it, or use another name.');
}

/** An occurrence that is planned: `nominal` is its time by the recurrence, `dueAt` that with jitter. */
export interface Planned {
  readonly id: JobId;
  readonly nominal: number;
  readonly dueAt: number;
}

/** A schedule as Control keeps it. Instants are epoch milliseconds. */
export interface Schedule {
  readonly definition: ScheduleDefinition;
  readonly origin: ScheduleOrigin;
  /** Hash of the definition. */
  readonly hash: string;
  readonly createdAt: number;
  /** When its recurrence was last given: a repetition without a start counts from here. */
  readonly anchor: number;
  /** Grows with every write. */
  readonly rev: number;
  /** Occurrences that became jobs, without those that an operator started. */
  readonly runs: number;
  /** Occurrences that the missed policy left out, whether they became jobs or not. */
  readonly missed: number;
  /** Occurrences that were jobs and did not start, because of the overlap policy or a pause. */
  readonly skipped: number;
  readonly lastNominal?: number;
  /** The occurrence that waits in Timers; absent while paused, and after the last. */
  readonly next?: Planned;
  readonly paused?: SchedulePause;
  /** Nominal times that never come again: cancelled while they waited, or out of reach when a pause took others back. In order. */
  readonly settled?: readonly number[];
}

/** Since when a schedule is paused, and what the operator said. */
export interface SchedulePause {
  readonly at: number;
  /** The nominal time of the first occurrence that did not start or was taken back: the schedule continues there. */
  readonly next?: number;
  readonly reason?: string;
  readonly actor?: string;
}

/** An occurrence that starts later than this after the last moment of its jitter was missed. Longer than a late tick, shorter than any outage. */
export const MISSED_AFTER_MS = 60_000;
/**
 * Occurrences of one schedule that may be fired ahead of their time: a pause takes them back in one transaction. Reached only by a
 * schedule that comes more often than every four seconds.
 */
export const MAX_AHEAD = 80;
/** Occurrences that were left out are counted up to this many at a time. */
const MAX_COUNTED = 10_000;

/** What firing an occurrence brings: whether it runs, how many were left out for good, and which one comes next. */
export interface FiringPlan {
  readonly run: boolean;
  readonly missed: number;
  readonly next?: Planned;
}

/** Whether an occurrence that fires or starts now was missed. */
export function isLate({ jitterMs }: Pick<ScheduleDefinition, 'jitterMs'>, nominal: number, now: number): boolean {
  return now - jitterMs - nominal > MISSED_AFTER_MS;
}

/** Applies the missed policy to an occurrence that fires now, and returns the next one. Pure. */
export function planFiring(schedule: Schedule, fired: Planned, now: number): FiringPlan {
  const { missed: policy, maxRuns, jitterMs } = schedule.definition;
  // Occurrences fire in the order of their nominal times: one may have waited for the longer jitter of an earlier one.
  const due = now - jitterMs;
  const late = isLate(schedule.definition, fired.nominal, now);
  const run = !(late && policy === 'skip');
  const passed = late && policy !== 'all';
  // One that runs for the others runs for all that are due; one that is left out takes only late ones along.
  const through = policy === 'skip' ? due - MISSED_AFTER_MS - 1 : due;
  const over = maxRuns !== undefined && schedule.runs + (run ? 1 : 0) >= maxRuns;
  const next = over ? undefined : plannedAfter(schedule, passed ? Math.max(through, fired.nominal) : fired.nominal);
  const left = passed ? countBetween(schedule, fired.nominal, through) : 0;
  return { run, missed: left + (run ? 0 : 1), ...defined({ next }) };
}

function countBetween(schedule: Schedule, after: number, through: number): number {
  let count = 0;
  for (let next = plannedAfter(schedule, after); next && next.nominal <= through && count < MAX_COUNTED; count++) {
    next = plannedAfter(schedule, next.nominal);
  }
  return count;
}

/** The first occurrence after an instant that is not settled; undefined when the schedule is at its end. */
export function plannedAfter(
  { definition, anchor, settled = [] }: Pick<Schedule, 'definition' | 'anchor' | 'settled'>,
  after: number,
): Planned | undefined {
  const recurrence = parseRecurrence(definition.recurrence);
  let found = nextOccurrence(recurrence, after, anchor);
  while (found !== undefined && settled.includes(found.at)) found = nextOccurrence(recurrence, found.at, anchor);
  return found && planned(definition, found.at);
}

/** The first occurrence of a schedule that begins now, without those that came under an earlier recurrence: `last` was the latest of them. */
export function firstPlanned(
  definition: ScheduleDefinition,
  now: number,
  { settled = [], last = Number.NEGATIVE_INFINITY }: { readonly settled?: readonly number[]; readonly last?: number } = {},
): Planned | undefined {
  const from = Math.max(searchFrom(parseRecurrence(definition.recurrence), now), Math.min(now, last));
  return plannedAfter({ definition, anchor: now, settled }, from);
}

/** Whether the next occurrence of a schedule was cancelled: it keeps its place until its time, and does not come. */
export function isNextSettled({ next, settled = [] }: Pick<Schedule, 'next' | 'settled'>): boolean {
  return next !== undefined && settled.includes(next.nominal);
}

/** A schedule that also keeps `times` as settled, without those that no plan can reach any more. */
export function withSettled(schedule: Schedule, times: readonly number[], now: number): Schedule {
  const { settled = [], ...rest } = schedule;
  const { next, paused, definition } = schedule;
  const reach = Math.min(now - definition.jitterMs, next?.nominal ?? now, paused?.next ?? paused?.at ?? now);
  const kept = [...new Set([...settled, ...times])].filter((time) => time >= reach).toSorted((one, other) => one - other);
  return kept.length === 0 ? rest : { ...rest, settled: kept };
}

/**
 * The first occurrence after a pause that ends now: with `skip` a future one, and those before it are left out; otherwise the first that
 * was due while it was paused, so that the missed policy decides. Those that the pause took back are among them.
 */
export function planAfterPause(schedule: Schedule, now: number): Omit<FiringPlan, 'run'> {
  const { at: pausedAt, next } = schedule.paused ?? { at: now };
  const { maxRuns, missed } = schedule.definition;
  if (maxRuns !== undefined && schedule.runs >= maxRuns) return { missed: 0 };
  const since = next === undefined ? Math.max(pausedAt, schedule.lastNominal ?? pausedAt) : next - 1;
  const goesOn = plannedAfter(schedule, missed === 'skip' ? Math.max(now, since) : since);
  return { missed: missed === 'skip' ? countBetween(schedule, since, now) : 0, ...defined({ next: goesOn }) };
}

/** Until when occurrences may be fired ahead now: `through`, or less for a schedule that comes very often. */
export function aheadThrough(schedule: Schedule, now: number, through: number): number {
  let nominal = now;
  for (let count = 0; count < MAX_AHEAD; count++) {
    const next = plannedAfter(schedule, nominal);
    if (next === undefined || next.nominal > through) return through;
    ({ nominal } = next);
  }
  return nominal;
}

/** The occurrence of a schedule at a nominal time: its id and jitter follow from name and time, so that it exists once. */
export function planned({ name, jitterMs }: ScheduleDefinition, nominal: number): Planned {
  const text = `schedule/${name}/${iso(nominal)}`;
  const dueAt = nominal + (jitterMs === 0 ? 0 : hash32(text) % (jitterMs + 1));
  return { id: jobIdFrom(dueAt, text), nominal, dueAt };
}

/** Whether the time of an occurrence, its jitter included, comes after a pause began. An operator's retry or edit does not move it. */
export function comesAfter({ at }: Pick<SchedulePause, 'at'>, id: JobId): boolean {
  return dueAtOf(id) > at;
}

/** The exclusive group of a schedule whose occurrences queue up. */
export function scheduleGroup(name: string): string {
  return `schedule/${name}`;
}

/** What a worker adds to its jobs: lanes, and a priority for those that have none. */
export interface WorkerDefaults extends WorkerLanes {
  readonly priority?: number;
}

function priorityOf({ priority, priorityFrom }: ScheduleDefinition, queues?: WorkerDefaults): Pick<Job, 'priority' | 'priorityFrom'> {
  if (priority !== undefined) return { priority, ...defined({ priorityFrom }) };
  return queues?.priority === undefined ? { priority: 0 } : { priority: queues.priority, priorityFrom: 'worker' };
}

/** An occurrence and how often its schedule was written before. */
export interface PlannedAt extends Planned {
  /** An occurrence planned again after a pause has the same id: its counters continue from here, so that old hints can be recognized. */
  readonly rev: number;
}

/** The job of an occurrence, as its timer. `queues` are those of its worker. */
export function occurrenceJob(definition: ScheduleDefinition, occurrence: PlannedAt, now: number, queues?: WorkerDefaults): Job {
  const { id, nominal, dueAt, rev } = occurrence;
  const { name, tenant, correlationId, retry, inheritGroup } = definition;
  const given = priorityOf(definition, queues);
  const group = definition.overlap === 'queue' ? scheduleGroup(name) : definition.group;
  return {
    id,
    type: definition.type,
    payload: definition.payload,
    kind: 'timer',
    worker: definition.worker,
    lane: laneOfJob({ kind: 'timer', priority: given.priority }, queues),
    ...given,
    ...defined({ inheritGroup, group, tenant, correlationId, retry }),
    dueAt,
    createdAt: now,
    ...FRESH_COUNTERS,
    rev: rev + 1,
    dispatches: rev,
    chainDepth: 0,
    schemaVersion: definition.schemaVersion,
    schedule: name,
    nominalAt: nominal,
  };
}

/** The job of an occurrence that a backfill enqueues: not exclusive with the others of its schedule, and due when the backfill says. */
export function backfillJob(definition: ScheduleDefinition, occurrence: Planned, now: number, queues?: WorkerDefaults): Job {
  const { group: _exclusive, ...job } = occurrenceJob(definition, { ...occurrence, rev: 0 }, now, queues);
  const { priority } = job;
  const rest = { lane: laneOfJob({ kind: 'async', priority }, queues), backfill: true, rev: 0 } as const;
  return { ...job, ...defined({ group: definition.group }), kind: 'async', ...rest };
}
