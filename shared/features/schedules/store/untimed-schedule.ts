import type { Tables } from '../../../ports/tables.ts';
import type { Schedule } from '../model/schedule.ts';
import { decodeUntimedSchedule, scheduleKey } from './schedule-rows.ts';

/**
 * A schedule by its name, for an executor or client, which plans no occurrence: what reads recurrences stays out of its bundle. Throws
 * RowUnreadableError for a row that is none.
 */
export async function readUntimedSchedule(tables: Tables, name: string): Promise<Schedule | undefined> {
  const row = await tables.get('control', scheduleKey(name));
  return row && decodeUntimedSchedule(row);
}
