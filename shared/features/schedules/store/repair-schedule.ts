import { isNextSettled, planFiring, type Schedule } from '../model/schedule.ts';
import type { Tables } from '../../../ports/tables.ts';
import { revIs } from '../../../store/conditions.ts';
import { advanceWrites } from './fire-occurrence.ts';
import { locateOrUnreadable } from '../../../store/locate.ts';
import { scheduleKey } from './schedule-rows.ts';
import { putTimer, readSchedule, type ScheduleTerms } from './schedules.ts';
import { tryTransact } from '../../../store/transact.ts';

/**
 * Makes sure that the next occurrence of a schedule waits in Timers. One that is in no table is written again; one that was taken
 * out (cancelled, suspended, quarantined) is left where it is, and the one after it is written. True when something was missing.
 * A lost race means that another process advanced the schedule.
 */
export async function repairSchedule(tables: Tables, name: string, terms: ScheduleTerms): Promise<boolean> {
  const schedule = await readSchedule(tables, name);
  const next = schedule?.next;
  if (schedule === undefined || next === undefined) return false;
  const state = isNextSettled(schedule) ? 'finished' : await stateOf(tables, next.id);
  if (state === 'waiting') return false;
  const writes = state === undefined ? rewritten(schedule, terms) : advanced(schedule, terms);
  return (await tryTransact(tables, `repair/${name}/${schedule.rev}/${terms.token}`, { writes })).applied;
}

/** A timer that cannot be read is still there: the acquirer sets it aside, and then the schedule is repaired. */
async function stateOf(tables: Tables, id: string) {
  const found = await locateOrUnreadable(tables, id);
  return found === 'unreadable' ? 'waiting' : found?.state;
}

function rewritten(schedule: Schedule, terms: ScheduleTerms) {
  const put = putTimer(schedule, terms);
  const touch = {
    op: 'update',
    table: 'control',
    key: scheduleKey(schedule.definition.name),
    set: {},
    add: { rev: 1 },
    condition: revIs(schedule.rev),
  } as const;
  return put === undefined ? [touch] : [touch, put];
}

function advanced(schedule: Schedule & { readonly next?: NonNullable<Schedule['next']> }, terms: ScheduleTerms) {
  const { next } = schedule;
  if (next === undefined) return [];
  // As if it had fired in time: the missed policy is for the occurrences behind it, when they fire. It counts as no run.
  const plan = { ...planFiring({ ...schedule, runs: schedule.runs - 1 }, next, next.nominal), run: false };
  return advanceWrites(schedule, { fired: next.nominal, plan }, terms).writes;
}
