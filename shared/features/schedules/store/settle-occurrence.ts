import { RowUnreadableError } from '../../../job/errors.ts';
import { isOccurrence, type Job } from '../../../job/job.ts';
import { withSettled } from '../model/schedule.ts';
import type { Tables, Write } from '../../../ports/tables.ts';
import { revIs } from '../../../store/conditions.ts';
import { scheduleKey, settledField } from './schedule-rows.ts';
import { readUntimedSchedule } from './untimed-schedule.ts';

/**
 * What the cancel of a waiting job writes in its schedule, if it is the next occurrence of one: its time is settled, so that no pause,
 * change or repair of the schedule plans it again. One read and one write, for occurrences only; it demands the schedule as it was read.
 */
export async function settleWrites(tables: Tables, job: Job, now: number): Promise<readonly Write[]> {
  if (!isOccurrence(job)) return [];
  const name = job.schedule ?? '';
  const schedule = await readUntimedSchedule(tables, name).catch(unreadable);
  if (schedule?.next?.id !== job.id) return [];
  const { settled = [] } = withSettled(schedule, [schedule.next.nominal], now);
  const condition = revIs(schedule.rev);
  return [{ op: 'update', table: 'control', key: scheduleKey(name), set: settledField(settled), add: { rev: 1 }, condition }];
}

/** A schedule that cannot be read plans nothing. */
function unreadable(error: unknown): undefined {
  if (!(error instanceof RowUnreadableError)) throw error;
}
