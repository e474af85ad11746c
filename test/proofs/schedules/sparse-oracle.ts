/**
 * The slow way for expressions that seldom come: every minute of some hundred days, by what the runtime shows on the clocks of a zone.
 * It knows no offset and no change, and shares no code with what it judges.
 */
import { shownAt } from './oracle.ts';

const [MINUTE, HOUR, STRIDE] = [60_000, 60, 360];

/** A day by its number in the month and the week, and how many days its month has. */
export interface Day {
  readonly month: number;
  readonly week: number;
  readonly length: number;
}

/** When an expression matches, said a second time. */
export interface SparseTimes {
  readonly cron: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Whether the hour is open, so that an hour shown twice counts twice unless the policy says otherwise. */
  readonly open: boolean;
  readonly months: ReadonlySet<number>;
  readonly day: (day: Day) => boolean;
}

/** What the clocks show in each minute of a stretch of time, and where they jump. */
export interface LongWalk {
  readonly from: number;
  readonly walls: Int32Array;
  /** Minutes at which the clocks do not show a minute more than before; the end of the walk is the last. */
  readonly jumps: readonly number[];
}

/** Walks a zone by a quarter of a day, and minute by minute where its clocks do not show as much more at the end. */
export function walkLong(zone: string, from: number, through: number): LongWalk {
  const walls = new Int32Array(Math.ceil((through - from) / MINUTE / STRIDE) * STRIDE);
  const jumps: number[] = [];
  for (let start = 0, wall = shownAt(zone, from); start < walls.length; start += STRIDE) {
    const next = shownAt(zone, from + (start + STRIDE) * MINUTE);
    for (let index = start; index < start + STRIDE; index++) {
      walls[index] = next - wall === STRIDE ? wall + index - start : shownAt(zone, from + index * MINUTE);
      if (index > 0 && wallAt(walls, index) !== wallAt(walls, index - 1) + 1) jumps.push(index);
    }
    wall = next;
  }
  return { from, walls, jumps: [...jumps, walls.length] };
}

const wallAt = (walls: Int32Array, index: number): number => walls[index] ?? Number.NaN;

type Dst = { readonly gap: 'shift' | 'skip'; readonly overlap: 'first' | 'second' | 'both' };

/** The first occurrences after an instant and through another, at most so many, as text: the instant, and what daylight saving did. */
export function sparseOccurrences(
  walk: LongWalk,
  times: SparseTimes,
  dst: Dst,
  [after, through, most]: readonly [number, number, number],
): readonly string[] {
  const { from, walls, jumps } = walk;
  const found = new Map<number, string>();
  const inHour = hourMatcher(times);
  const matches = (wall: number): boolean => inHour(wall) && times.minutes.has(wall % HOUR);
  let start = 0;
  for (const end of jumps) {
    if (dst.gap === 'shift' && start > 0) {
      const last = wallAt(walls, start - 1);
      for (let skipped = last + 1; skipped < wallAt(walls, start); skipped++) {
        if (matches(skipped)) found.set(from + (start + skipped - last - 1) * MINUTE, 'gap-shifted');
      }
    }
    for (let index = start; index < end; index++) {
      const wall = wallAt(walls, index);
      if (!inHour(wall)) index += HOUR - 1 - (wall % HOUR);
      else if (matches(wall)) {
        const kind = shownTwice(walk, index);
        if (kind === '' || dst.overlap === 'both' || kind === dst.overlap) found.set(from + index * MINUTE, kind);
      }
    }
    start = end;
  }
  return [...found]
    .filter(([at]) => at > after && at <= through)
    .toSorted(([a], [b]) => a - b)
    .slice(0, most)
    .map(([at, kind]) => `${new Date(at).toISOString()} ${kind}`);
}

/** Whether the clocks show a minute's time a second time within a day, before or after it. */
function shownTwice({ walls, jumps }: LongWalk, index: number): '' | 'first' | 'second' {
  const near = jumps.find((jump) => Math.abs(jump - index) <= 24 * HOUR);
  if (near === undefined) return '';
  const wall = wallAt(walls, index);
  if (walls.subarray(Math.max(0, index - 24 * HOUR), index).includes(wall)) return 'second';
  return walls.subarray(index + 1, index + 24 * HOUR + 1).includes(wall) ? 'first' : '';
}

/** Whether an expression can match within the hour that the clocks show. */
function hourMatcher({ hours, months, day }: SparseTimes): (wall: number) => boolean {
  const days = new Map<number, boolean>();
  return (wall) => {
    if (!hours.has(Math.floor(wall / HOUR) % 24)) return false;
    const number = Math.floor(wall / 1440);
    let matched = days.get(number);
    if (matched === undefined) {
      const date = new Date(number * 86_400_000);
      const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
      matched = months.has(date.getUTCMonth() + 1) && day({ month: date.getUTCDate(), week: date.getUTCDay(), length });
      days.set(number, matched);
    }
    return matched;
  };
}
