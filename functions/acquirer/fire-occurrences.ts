import { RowUnreadableError } from '../../shared/core/errors.ts';
import { errorText } from '../../shared/core/error-text.ts';
import type { Job } from '../../shared/core/job.ts';
import { aheadThrough, comesAfter, planFiring, type Schedule } from '../../shared/features/schedules/model/schedule.ts';
import type { RowKey } from '../../shared/ports/tables.ts';
import { revIs } from '../../shared/store/conditions.ts';
import { fire, type Firing, firing } from '../../shared/store/fire.ts';
import { fireOccurrence } from '../../shared/features/schedules/store/fire-occurrence.ts';
import { decodeJob } from '../../shared/store/job-codec.ts';
import { readSchedule, type ScheduleTerms } from '../../shared/features/schedules/store/schedules.ts';
import type { AcquirerDeps } from './deps.ts';

/** A timer and the key of its row. */
export interface Waiting {
  readonly timer: Job;
  readonly key: RowKey;
}

/** Until when to go on, by instant and by due time. */
export interface OccurrenceRun {
  readonly stopAt: number;
  /** Occurrences due later than this stay in Timers. */
  readonly dueThrough: number;
}

const ROUNDS = 4;

/** What a change of a schedule takes from the acquirer's or sweeper's dependencies. */
export function scheduleTerms({ clock, entropy, deployment }: Pick<AcquirerDeps, 'clock' | 'entropy' | 'deployment'>): ScheduleTerms {
  return { now: clock.now(), token: entropy.token(), lanesOf: (worker) => deployment.workers.get(worker) };
}

/**
 * Fires an occurrence and those after it that are due within the horizon as well, so that a schedule that comes every few seconds
 * keeps up with its time. Gives back what became ready, for its hints to be sent.
 */
export async function fireChain(deps: AcquirerDeps, first: Waiting, run: OccurrenceRun): Promise<readonly Firing[]> {
  const fired: Firing[] = [];
  let current: Waiting | undefined = first;
  try {
    while (current !== undefined && deps.clock.now() < run.stopAt) {
      const result = await fireOne(deps, current);
      if (result.ready) fired.push(result.ready);
      current = result.next === undefined ? undefined : await nextDue(deps, result.next, run);
    }
  } catch (error) {
    // What was fired before has its hints sent; the next tick goes on from where the schedule stands.
    if (fired.length === 0) throw error;
    deps.journal.record({
      event: 'store-failed',
      reason: `schedule ${first.timer.schedule ?? ''}`,
      error: errorText(error, deps.clock.now()),
    });
  }
  return fired;
}

async function nextDue(deps: AcquirerDeps, { key, schedule }: Next, run: OccurrenceRun): Promise<Waiting | undefined> {
  const dueAt = Date.parse(String(key['due']).split('#')[0] ?? '');
  if (dueAt > run.dueThrough || dueAt > aheadThrough(schedule, deps.clock.now(), run.dueThrough)) return undefined;
  const row = await deps.tables.get('timers', key);
  return row && { timer: decodeJob(row), key };
}

/** The timer that comes next, and its schedule. */
interface Next {
  readonly key: RowKey;
  readonly schedule: Schedule;
}

interface OneFired {
  readonly ready?: Firing;
  readonly next?: Next;
}

async function fireOne(deps: AcquirerDeps, { timer, key }: Waiting): Promise<OneFired> {
  const { tables, deployment } = deps;
  for (let round = 0; round < ROUNDS; round++) {
    const terms = scheduleTerms(deps);
    const ready = firing(timer, { ...terms, redispatchAfterMs: deployment.settings.redispatchAfterMs }, key);
    const schedule = await scheduleOf(deps, timer);
    if (schedule === undefined) return drop(deps, { timer, key });
    if (schedule === 'unreadable' || schedule.next?.id !== timer.id) return alone(deps, ready, schedule);
    const plan = planFiring(schedule, schedule.next, terms.now);
    const done = await fireOccurrence(tables, ready, { schedule, plan }, terms);
    if (done.result === 'gone') return {};
    if (done.result === 'changed') continue;
    const next = done.nextKey === undefined ? {} : { next: { key: done.nextKey, schedule } };
    return done.ran ? { ready, ...next } : next;
  }
  return {};
}

/** An occurrence that its schedule does not wait for any more, because it lay suspended meanwhile: it runs, unless a pause came before it. */
async function alone(deps: AcquirerDeps, ready: Firing, schedule: Schedule | 'unreadable'): Promise<OneFired> {
  const { timer, key } = ready;
  const paused = schedule === 'unreadable' ? undefined : schedule.paused;
  if (paused !== undefined && comesAfter(paused, timer.id)) return drop(deps, { timer, key });
  const [fired] = await fire(deps.tables, [ready]);
  return fired === undefined ? {} : { ready: fired };
}

/** Its schedule is gone: nothing is to run. */
async function drop(deps: AcquirerDeps, { timer, key }: Waiting): Promise<OneFired> {
  await deps.tables.write({ op: 'delete', table: 'timers', key, condition: revIs(timer.rev) });
  return {};
}

/** A schedule's row that cannot be read must not keep its last occurrence at the head of a shard for ever. */
async function scheduleOf(deps: AcquirerDeps, timer: Job): Promise<Schedule | 'unreadable' | undefined> {
  try {
    return await readSchedule(deps.tables, timer.schedule ?? '');
  } catch (error) {
    if (!(error instanceof RowUnreadableError)) throw error;
    deps.journal.record({ event: 'store-failed', reason: `schedule ${timer.schedule ?? ''}`, error: errorText(error, deps.clock.now()) });
    return 'unreadable';
  }
}
