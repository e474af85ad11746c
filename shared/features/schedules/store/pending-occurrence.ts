import type { Planned, Schedule } from '../model/schedule.ts';
import { isNextSettled } from '../model/schedule.ts';
import type { Condition, Row, RowKey, Tables } from '../../../ports/tables.ts';
import { all, unchanged } from '../../../store/conditions.ts';
import { findRow } from '../../../store/find-row.ts';
import { isParked } from '../../../store/rows.ts';
import { highestCount } from './recall-ahead.ts';

/**
 * Where the next occurrence of a schedule is. `waiting`: in Timers, as it should be; `same` holds while it is unchanged. `nowhere`: it was
 * lost. `elsewhere`: it was cancelled, set aside or fired, and is not planned again.
 */
export type Pending =
  | { readonly state: 'waiting'; readonly next: Planned; readonly key: RowKey; readonly same: Condition; readonly rev: number }
  | { readonly state: 'none' | 'nowhere' }
  | { readonly state: 'elsewhere'; readonly next: Planned };

/** Looks for the next occurrence of a schedule: up to six reads, three where it waits. */
export async function findPending(tables: Tables, schedule: Schedule | undefined): Promise<Pending> {
  const next = schedule?.next;
  if (schedule === undefined || next === undefined) return { state: 'none' };
  if (isNextSettled(schedule)) return { state: 'elsewhere', next };
  const found = await findRow(tables, next.id);
  if (found === undefined) return { state: 'nowhere' };
  if (found.table !== 'timers' || isParked(found.key['shard'])) return { state: 'elsewhere', next };
  return { state: 'waiting', next, key: found.key, same: sameRow(found.row), rev: highestCount(found.row) };
}

function sameRow(row: Row): Condition {
  return all({ test: 'present', attribute: 'shard' }, unchanged('rev', row['rev']));
}
