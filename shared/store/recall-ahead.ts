import { isQueueOwner } from '../core/lock-owner.ts';
import { MOST_AHEAD, type Planned, plannedAfter, type Schedule } from '../core/schedule/schedule.ts';
import type { Row, Tables, Write } from '../ports/tables.ts';
import { all, notRunning, revIs } from './conditions.ts';
import { idKey } from './rows.ts';

/** Occurrences that were fired ahead of their time and did not start: the writes that take them back out of Jobs. */
export interface Recall {
  readonly writes: readonly Write[];
  /** The first of them by nominal time, behind all that cannot be taken back; from there on the schedule goes on one day. */
  readonly from?: number;
  /** The last that cannot be taken back, because it started or ended or lies elsewhere. */
  readonly kept?: number;
}

/** Looks for occurrences of a schedule that lie ready and are due after `now`: a read for each that was fired ahead. */
export async function recallAhead(tables: Tables, schedule: Schedule, now: number): Promise<Recall> {
  const ahead = aheadOf(schedule, now);
  const rows = await Promise.all(ahead.map(({ id }) => tables.get('jobs', idKey(id))));
  const ready = rows.map(isReady);
  const writes = ahead.flatMap(({ id }, index): Write[] => {
    const rev = rows[index]?.['rev'];
    if (ready[index] !== true || typeof rev !== 'number') return [];
    return [{ op: 'delete', table: 'jobs', key: idKey(id), condition: all(notRunning, revIs(rev)) }];
  });
  const kept = ahead[ready.lastIndexOf(false)]?.nominal;
  const from = ahead[ready.lastIndexOf(false) + 1]?.nominal;
  return { writes, ...(from === undefined ? {} : { from }), ...(kept === undefined ? {} : { kept }) };
}

function aheadOf(schedule: Schedule, now: number): readonly Planned[] {
  const { lastNominal = 0, definition } = schedule;
  const ahead: Planned[] = [];
  for (let next = plannedAfter(schedule, now - definition.jitterMs); next && next.nominal <= lastNominal;) {
    // Behind the first that is not due yet all are looked at: a shorter jitter may have let a later one start, and that one is not to come again.
    if (ahead.length > 0 || next.dueAt > now) ahead.push(next);
    next = plannedAfter(schedule, next.nominal);
  }
  return ahead.slice(-MOST_AHEAD);
}

function isReady(row: Row | undefined): boolean {
  return row !== undefined && isQueueOwner(String(row['lockOwner'])) && typeof row['rev'] === 'number';
}
