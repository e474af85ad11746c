import { type Cron, nextWall, SEARCH_MS } from './cron.ts';
import { offsetAt, type Transition, transitionsBetween } from './zone.ts';

/** What becomes of a time of day that the clocks skip (`gap`) or show twice (`overlap`). */
export interface DstPolicy {
  /** `shift`: as much later as the gap is long (02:30 becomes 03:30); `skip`: not on that day. */
  readonly gap: (typeof DST_GAPS)[number];
  readonly overlap: (typeof DST_OVERLAPS)[number];
}

export const DST_GAPS = ['shift', 'skip'] as const;
export const DST_OVERLAPS = ['first', 'second', 'both'] as const;

/** What daylight saving did to an occurrence: moved out of a gap, or one of two. */
export type DstMark = 'gap-shifted' | 'first' | 'second';

/** One occurrence: epoch milliseconds, and what daylight saving did to it. */
export interface Occurrence {
  readonly at: number;
  readonly mark?: DstMark;
}

const HOUR_MS = 3_600_000;
/** No change of offset is larger: whole days were skipped at the date line. */
const LONGEST_CHANGE_MS = 24 * HOUR_MS;

/** The instants at which a zone's clocks show a time: none or one moved in a gap, one of two or both in an overlap. */
export function instantsOf(zone: string, wall: number, dst: DstPolicy): readonly Occurrence[] {
  // Offsets are between -12 and +14 hours: these two instants are before and after any change near the requested time.
  const before = offsetAt(zone, wall - 15 * HOUR_MS);
  const after = offsetAt(zone, wall + 13 * HOUR_MS);
  if (before === after) return [{ at: wall - before }];
  const [early, late] = [wall - before, wall - after];
  const [isEarly, isLate] = [offsetAt(zone, early) === before, offsetAt(zone, late) === after];
  if (!isEarly && !isLate) return dst.gap === 'skip' ? [] : [{ at: early, mark: 'gap-shifted' }];
  if (!isEarly || !isLate) return [{ at: isEarly ? early : late }];
  const both = [
    { at: early, mark: 'first' },
    { at: late, mark: 'second' },
  ] as const;
  return dst.overlap === 'both' ? both : both.filter(({ mark }) => mark === dst.overlap);
}

/**
 * The first instant after `after` at which a cron expression matches on a zone's clocks; undefined when there is none for decades: a time
 * that the clocks skip in every year never comes where `dst.gap` is `skip`.
 */
export function nextCron(cron: Cron, zone: string, dst: DstPolicy, after: number): Occurrence | undefined {
  for (let cursor = after; cursor < after + SEARCH_MS;) {
    const offset = offsetAt(zone, cursor + 1);
    const start = transitionsBetween(zone, cursor - LONGEST_CHANGE_MS, cursor + 1).at(-1);
    // The search starts at the earliest possible instant, so that the changes checked below extend past the time it finds.
    const from = dst.overlap === 'first' ? Math.max(cursor, secondShowingEnd(start) - 1) : cursor;
    const wall = nextWall(cron, from + offset);
    if (wall === undefined) return undefined;
    const [end] = transitionsBetween(zone, cursor + 1, wall - offset + LONGEST_CHANGE_MS);
    const found = inStretch(cron, { cursor, offset, start, end, shown: wall - offset }, dst);
    if (found) return found;
    // Nothing before the next change of offset, which is there: without one the wall time itself would have been found.
    cursor = (end?.at ?? Number.POSITIVE_INFINITY) - 1;
  }
  return undefined;
}

/** The end of the times that a change shows a second time; 0 if it shows none twice. */
function secondShowingEnd(change: Transition | undefined): number {
  return change !== undefined && change.after < change.before ? change.at + change.before - change.after : 0;
}

/** An interval with one offset, checked after `cursor`. */
interface Stretch {
  readonly cursor: number;
  readonly offset: number;
  readonly start: Transition | undefined;
  readonly end: Transition | undefined;
  /** When the clocks show the next match if the offset stays as it is. */
  readonly shown: number;
}

function inStretch(cron: Cron, stretch: Stretch, dst: DstPolicy): Occurrence | undefined {
  const shifted = dst.gap === 'shift' ? outOfGap(cron, stretch) : undefined;
  const plain = shownInStretch(stretch, dst);
  return shifted !== undefined && (plain === undefined || shifted.at < plain.at) ? shifted : plain;
}

/** Times that the change at the start of the stretch skipped, moved behind it. */
function outOfGap(cron: Cron, { cursor, start, offset }: Stretch): Occurrence | undefined {
  if (start === undefined || start.after <= start.before) return undefined;
  const wall = nextWall(cron, Math.max(cursor, start.at - 1) + start.before);
  return wall !== undefined && wall < start.at + offset ? { at: wall - start.before, mark: 'gap-shifted' } : undefined;
}

function shownInStretch({ start, end, shown }: Stretch, dst: DstPolicy): Occurrence | undefined {
  const firstFrom = end !== undefined && end.after < end.before ? end.at - (end.before - end.after) : Number.POSITIVE_INFINITY;
  const until = Math.min(end?.at ?? Number.POSITIVE_INFINITY, dst.overlap === 'second' ? firstFrom : Number.POSITIVE_INFINITY);
  if (shown >= until) return undefined;
  const mark = shown < secondShowingEnd(start) ? 'second' : shown >= firstFrom ? 'first' : undefined;
  return mark === undefined ? { at: shown } : { at: shown, mark };
}
