import { defined } from '../../shared/job/defined.ts';
import { RowUnreadableError } from '../../shared/job/errors.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { allowLate, type Job } from '../../shared/job/job.ts';
import { aheadThrough, comesAfter, planFiring, type Schedule } from '../../shared/features/schedules/model/schedule.ts';
import type { RowKey } from '../../shared/ports/tables.ts';
import { revIs } from '../../shared/store/conditions.ts';
import { fire, type Firing, firing } from '../../shared/store/fire.ts';
import { fireOccurrence } from '../../shared/features/schedules/store/fire-occurrence.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { jobRow } from '../../shared/store/rows.ts';
import { readSchedule, type ScheduleTerms } from '../../shared/features/schedules/store/schedules.ts';
import type { AcquirerDeps } from './deps.ts';

/** A timer and the key of its row. */
export interface Waiting {
  readonly timer: Job;
  readonly key: RowKey;
}

/** When to stop, by the clock and by due time. */
export interface OccurrenceRun {
  readonly stopAt: number;
  /** Occurrences due later than this stay in Timers. */
  readonly dueThrough: number;
}

const ROUNDS = 4;

/** The dependencies that a schedule change takes from the acquirer or sweeper. */
export function scheduleTerms({ clock, entropy, deployment }: Pick<AcquirerDeps, 'clock' | 'entropy' | 'deployment'>): ScheduleTerms {
  return { now: clock.now(), token: entropy.token(), lanesOf: (worker) => deployment.workers.get(worker) };
}

/**
 * Fires an occurrence and the following ones that are due within the horizon, so that a schedule with an interval of seconds
 * keeps up. Returns the jobs that became ready; the caller sends their hints.
 */
export async function fireChain(deps: AcquirerDeps, first: Waiting, run: OccurrenceRun): Promise<readonly Firing[]> {
  const fired: Firing[] = [];
  let current: Waiting | undefined = first;
  try {
    while (current !== undefined && deps.clock.now() < run.stopAt) {
      const result = await fireOne(deps, current, run);
      if (result.ready) fired.push(result.ready);
      current = result.next === undefined ? undefined : await nextDue(deps, result.next, run);
    }
  } catch (error) {
    // The hints of the fired occurrences are sent; the next tick continues from the schedule's row.
    if (fired.length === 0) throw error;
    deps.journal.record({
      event: 'store-failed',
      reason: `schedule#${first.timer.schedule ?? ''}`,
      error: errorText(error, deps.clock.now()),
    });
  }
  return fired;
}

async function nextDue({ tables }: AcquirerDeps, key: RowKey, { dueThrough }: OccurrenceRun): Promise<Waiting | undefined> {
  const dueAt = Date.parse(String(key['due']).split('#')[0] ?? '');
  if (dueAt > dueThrough) return undefined;
  const row = await tables.get('timers', key);
  return row && { timer: decodeJob(row), key };
}

interface OneFired {
  readonly ready?: Firing;
  /** The next timer. */
  readonly next?: RowKey;
}

async function fireOne(deps: AcquirerDeps, { timer, key }: Waiting, { dueThrough }: OccurrenceRun): Promise<OneFired> {
  const { tables, deployment } = deps;
  for (let round = 0; round < ROUNDS; round++) {
    const terms = scheduleTerms(deps);
    const ready = firing(timer, { ...terms, redispatchAfterMs: deployment.settings.redispatchAfterMs }, key);
    const schedule = await scheduleOf(deps, timer);
    if (schedule === undefined && timer.runNow !== true) return drop(deps, { timer, key });
    if (schedule === undefined || schedule === 'unreadable' || schedule.next?.id !== timer.id) return alone(deps, ready, schedule);
    if (timer.dueAt > aheadThrough(schedule, terms.now, dueThrough)) return {};
    const plan = planFiring(schedule, schedule.next, terms.now);
    const done = await fireOccurrence(tables, ready, { schedule, plan }, terms);
    if (done.result === 'gone') return {};
    if (done.result === 'changed') continue;
    return defined({ ready: done.ran ? ready : undefined, next: done.nextKey });
  }
  return {};
}

/** An occurrence that its schedule does not point at: it runs, unless a pause came before it. One that an operator started runs in any case. */
async function alone(deps: AcquirerDeps, ready: Firing, schedule: Schedule | 'unreadable' | undefined): Promise<OneFired> {
  const { timer, key } = ready;
  const paused = schedule === 'unreadable' ? undefined : schedule?.paused;
  if (timer.runNow !== true && paused !== undefined && comesAfter(paused, timer.id)) return drop(deps, { timer, key });
  // It lost its turn while it was suspended, so it may start at any delay.
  const job = allowLate(ready.job);
  const [fired] = await fire(deps.tables, [{ ...ready, job, row: jobRow(job) }]);
  return fired === undefined ? {} : { ready: fired };
}

/** The schedule was deleted, or paused before the time of the occurrence: it must not run. */
async function drop(deps: AcquirerDeps, { timer, key }: Waiting): Promise<OneFired> {
  await deps.tables.write({ op: 'delete', table: 'timers', key, condition: revIs(timer.rev) });
  return {};
}

/** An unreadable schedule row must not keep its last occurrence at the head of a shard forever. */
async function scheduleOf(deps: AcquirerDeps, timer: Job): Promise<Schedule | 'unreadable' | undefined> {
  try {
    return await readSchedule(deps.tables, timer.schedule ?? '');
  } catch (error) {
    if (!(error instanceof RowUnreadableError)) throw error;
    deps.journal.record({ event: 'store-failed', reason: `schedule#${timer.schedule ?? ''}`, error: errorText(error, deps.clock.now()) });
    return 'unreadable';
  }
}
