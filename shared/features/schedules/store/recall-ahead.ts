import { defined } from '../../../job/defined.ts';
import { ranBefore } from '../../../job/job.ts';
import { isQueueOwner } from '../../../job/lock-owner.ts';
import { MAX_AHEAD, type Planned, plannedAfter, type Schedule } from '../model/schedule.ts';
import type { Row, Tables, Write } from '../../../ports/tables.ts';
import { all, notRunning, revIs } from '../../../store/conditions.ts';
import { decodeError } from '../../../store/job-codec.ts';
import { idKey } from '../../../store/rows.ts';

/** Occurrences that were fired ahead of their time: the writes that take back out of Jobs those that did not start. */
export interface Recall {
  readonly writes: readonly Write[];
  /** Nominal times of those that are taken back, in order. */
  readonly back: readonly number[];
  /** Nominal times of occurrences that cannot be taken back, because they started, ended or moved. They are not repeated. */
  readonly kept: readonly number[];
  /** The highest count on the rows that are taken back: an occurrence planned again continues from there. */
  readonly rev: number;
}

/** Finds ready occurrences of a schedule that are due after `now`: one read for each that was fired ahead. */
export async function recallAhead(tables: Tables, schedule: Schedule, now: number): Promise<Recall> {
  const ahead = aheadOf(schedule, now);
  const rows = await Promise.all(ahead.map(({ id }) => tables.get('jobs', idKey(id))));
  const ready = rows.map(isReady);
  const writes = ahead.flatMap(({ id }, index): Write[] => {
    const rev = rows[index]?.['rev'];
    if (ready[index] !== true || typeof rev !== 'number') return [];
    return [{ op: 'delete', table: 'jobs', key: idKey(id), condition: all(notRunning, revIs(rev)) }];
  });
  const nominals = (isBack: boolean) => ahead.flatMap(({ nominal }, index) => (ready[index] === isBack ? [nominal] : []));
  return { writes, back: nominals(true), kept: nominals(false), rev: Math.max(0, ...rows.map(highestCount)) };
}

/** The highest count on a row that distinguishes a write or hint of a job from an older one. */
export function highestCount(row: Row = {}): number {
  return Math.max(0, ...[row['rev'], row['dispatches']].filter((count) => Number.isSafeInteger(count)).map(Number));
}

function aheadOf(schedule: Schedule, now: number): readonly Planned[] {
  const { lastNominal = 0, definition } = schedule;
  const ahead: Planned[] = [];
  for (let next = plannedAfter(schedule, now - definition.jitterMs); next && next.nominal <= lastNominal;) {
    // After the first that is not due yet all are checked: with a shorter jitter a later one may have started, and must not be repeated.
    if (ahead.length > 0 || next.dueAt > now) ahead.push(next);
    next = plannedAfter(schedule, next.nominal);
  }
  return ahead.slice(-MAX_AHEAD);
}

/** Whether an occurrence waits for its start. One that waits for a retry, or was redriven, has started and goes on. */
function isReady(row: Row | undefined): boolean {
  if (row === undefined || !isQueueOwner(String(row['lockOwner'])) || typeof row['rev'] !== 'number') return false;
  const [starts, continuations] = [row['starts'], row['continuations']].map((count) => Number(count ?? 0));
  return !ranBefore({ starts: starts ?? 0, ...defined({ continuations, error: decodeError(row) }) });
}
