import { type Planned, plannedAfter, type Schedule } from './schedule.ts';

/** A range of nominal times, both ends included, and how many of them at most. */
export interface BackfillRange {
  readonly from: number;
  readonly to: number;
  readonly limit: number;
}

/** The occurrences of a range. `next`: the first one beyond the limit. `undecided`: the first one that the schedule itself has yet to run or leave out. */
export interface Backfilled {
  readonly occurrences: readonly Planned[];
  readonly next?: number;
  readonly undecided?: number;
}

/**
 * The occurrences of a range that the schedule has behind it: it will never fire them by itself. Those that it has yet to decide about are left to it: from
 * the next one or the begin of a pause on, and the latest ones, whose jitter may not be over. Pure.
 */
export function backfilled(schedule: Schedule, { from, to, limit }: BackfillRange, now: number): Backfilled {
  const end = Math.min(to, decidedThrough(schedule, now));
  const occurrences: Planned[] = [];
  let one = plannedAfter(schedule, from - 1);
  for (; one !== undefined && one.nominal <= end && occurrences.length < limit; one = plannedAfter(schedule, one.nominal)) {
    occurrences.push(one);
  }
  if (one === undefined || one.nominal > to) return { occurrences };
  return { occurrences, ...(one.nominal <= end ? { next: one.nominal } : { undecided: one.nominal }) };
}

/** The last instant whose occurrences were fired, missed or left out. */
function decidedThrough({ next, paused, lastNominal, definition }: Schedule, now: number): number {
  const over = now - definition.jitterMs;
  if (paused !== undefined) return Math.min(over, paused.next === undefined ? Math.max(paused.at, lastNominal ?? 0) : paused.next - 1);
  return next === undefined ? over : Math.min(over, next.nominal - 1);
}
