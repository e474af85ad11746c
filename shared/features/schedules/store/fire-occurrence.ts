import { defined } from '../../../job/defined.ts';
import { iso } from '../../../job/instant.ts';
import { allowLate } from '../../../job/job.ts';
import { type FiringPlan, isLate, type Schedule } from '../model/schedule.ts';
import type { RowKey, Tables, Write } from '../../../ports/tables.ts';
import { noRow, revIs } from '../../../store/conditions.ts';
import type { Firing } from '../../../store/fire.ts';
import { jobRow } from '../../../store/rows.ts';
import { plannedFields, PLANNED_FIELDS, scheduleKey } from './schedule-rows.ts';
import { putTimer, type ScheduleTerms } from './schedules.ts';
import { tryTransact } from '../../../store/transact.ts';

/** The result of firing an occurrence. `changed`: its schedule was changed; `gone`: another process moved the timer. */
export type OccurrenceFired =
  | { readonly result: 'fired'; readonly ran: boolean; readonly nextKey?: RowKey }
  | { readonly result: 'changed' }
  | { readonly result: 'gone' };

/**
 * Fires an occurrence in one transaction: the timer goes, its job is put if the plan says so, the next timer is put, and the
 * schedule points at it. If a job with this id exists, it is the same one: only the schedule advances.
 */
export async function fireOccurrence(
  tables: Tables,
  { timer, key, job, row }: Firing,
  { schedule, plan }: { readonly schedule: Schedule; readonly plan: FiringPlan },
  terms: Pick<ScheduleTerms, 'now' | 'lanesOf'>,
): Promise<OccurrenceFired> {
  const remove: Write = { op: 'delete', table: 'timers', key, condition: revIs(timer.rev) };
  const late = isLate(schedule.definition, timer.nominalAt ?? timer.dueAt, terms.now);
  const put: Write = { op: 'put', table: 'jobs', row: late ? jobRow(allowLate(job)) : row, condition: noRow('id') };
  const advance = advanceWrites(schedule, { fired: timer.nominalAt ?? timer.dueAt, plan }, terms);
  for (const ran of plan.run ? [true, false] : [false]) {
    const token = `occurrence/${job.id}/${schedule.rev}/${ran}/${job.lockOwner}`;
    const outcome = await tryTransact(tables, token, { timer: remove, advance: advance.writes, job: ran ? put : undefined });
    if (outcome.applied) return { result: 'fired', ran, ...defined({ nextKey: advance.nextKey }) };
    if (outcome.failed('timer')) return { result: 'gone' };
    if (outcome.failed('advance') || !outcome.failed('job')) return { result: 'changed' };
  }
  return { result: 'changed' };
}

/** Advances the schedule to the next occurrence: its row, if it is unchanged, and the next timer. */
export function advanceWrites(
  schedule: Schedule,
  { fired, plan }: { readonly fired: number; readonly plan: FiringPlan },
  terms: Pick<ScheduleTerms, 'now' | 'lanesOf'>,
): { readonly writes: readonly Write[]; readonly nextKey?: RowKey } {
  const { next } = plan;
  const update: Write = {
    op: 'update',
    table: 'control',
    key: scheduleKey(schedule.definition.name),
    set: {
      ...(next === undefined ? {} : plannedFields(next)),
      lastNominal: iso(fired),
    },
    ...(next === undefined ? { remove: PLANNED_FIELDS } : {}),
    add: { rev: 1, runs: plan.run ? 1 : 0, missed: plan.missed },
    condition: revIs(schedule.rev),
  };
  const { next: _next, ...rest } = schedule;
  const put = next === undefined ? undefined : putTimer({ ...rest, next }, terms);
  if (put === undefined) return { writes: [update] };
  return { writes: [update, put], nextKey: { shard: String(put.row['shard']), due: String(put.row['due']) } };
}
