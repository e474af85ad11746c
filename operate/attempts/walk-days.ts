import { iso } from '../../shared/job/instant.ts';
import type { Row, Tables } from '../../shared/ports/tables.ts';
import { historyPartitions, idPrefix } from '../../shared/store/rows.ts';
import { mergedSteps } from '../jobs/merge-steps.ts';
import type { DayPlace } from './attempt-cursor.ts';
import type { CheckedAttempts } from './check-attempts.ts';

/** Rows in the order of their keys, and where a reader may stop behind all of them. */
export interface DayStep {
  readonly rows: readonly { readonly row: Row; readonly place: DayPlace }[];
  readonly readUnits: number;
  readonly reached?: DayPlace;
}

const DAY_MS = 86_400_000;

/** The days of the range that jobs were first due in, in the order in which they are read. */
export function daysOf({ dueFrom, dueTo, order }: Pick<CheckedAttempts, 'dueFrom' | 'dueTo' | 'order'>): readonly string[] {
  const days: string[] = [];
  for (let at = Math.floor(dueFrom / DAY_MS) * DAY_MS; at < dueTo; at += DAY_MS) days.push(iso(at).slice(0, 10));
  return order === 'oldest-first' ? days : days.toReversed();
}

/** Reads History day by day from a place on: the 64 partitions of each, merged by the ids of the jobs. The reader stops when it has enough. */
export async function* walkDays(tables: Tables, range: CheckedAttempts, start: DayPlace | undefined): AsyncGenerator<DayStep> {
  const isOldestFirst = range.order === 'oldest-first';
  const left = daysOf(range).filter((day) => start === undefined || (isOldestFirst ? day >= start.day : day <= start.day));
  for (const day of left) {
    yield { rows: [], readUnits: 0, reached: { day } };
    const place = {
      read: 'merge',
      name: 'history',
      shown: 'History by day',
      table: 'history',
      order: isOldestFirst ? 'oldest-first' : 'newest-first',
      partitions: [historyPartitions(day)],
      from: idPrefix(range.dueFrom),
      through: idPrefix(range.dueTo),
    } as const;
    const after = day === start?.day ? start.after : undefined;
    for await (const { rows, end, readUnits } of mergedSteps(tables, place, after, { first: range.limit })) {
      // Without rows it got nowhere, and a page that ended there would repeat forever.
      const reached = end === undefined || rows.length === 0 ? {} : { reached: { day, after: end } };
      yield { rows: rows.map(({ row, at }) => ({ row, place: { day, after: at } })), readUnits, ...reached };
    }
  }
}

/** Whether a place comes behind another, for days that are read from the newest to the oldest. */
export function isBehind(place: DayPlace, other: DayPlace): boolean {
  return sortText(place) < sortText(other);
}

/** Every id sorts before `~`. */
const sortText = ({ day, after }: DayPlace): string => `${day}#${after?.['id'] ?? '~'}`;
