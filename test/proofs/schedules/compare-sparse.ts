import { parseCron } from '../../../shared/features/schedules/model/cron.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { hash32 } from '../../../shared/job/hash.ts';
import { parseRecurrence } from '../../../shared/features/schedules/model/recurrence.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { type Compared, firstAfter } from './compare.ts';
import { shownAt } from './oracle.ts';
import { drawSparse } from './sparse-draw.ts';
import { type SparseTimes, sparseOccurrences, walkLong } from './sparse-oracle.ts';

const [MINUTE, DAY] = [60_000, 86_400_000];
/** Long enough for an expression that comes in one month, whichever it is. */
const HORIZON = 400 * DAY;
const MOST = 12;
const GAPS = ['shift', 'skip'] as const;
const OVERLAPS = ['first', 'second', 'both', undefined] as const;

/** How many expressions are drawn around each change of the clocks, and from which seed. */
export interface Draws {
  readonly seed: number;
  readonly each: number;
}

/** Expressions that seldom come, asked for near each change of a zone's clocks within some years, beside a walk of 400 days. */
export function compareSparse(zone: string, [first, last]: readonly [number, number], { seed, each }: Draws): Compared {
  const differences: string[] = [];
  let occurrences = 0;
  for (const change of changesOf(zone, Date.UTC(first, 0), Date.UTC(last + 1, 0))) {
    const walk = walkLong(zone, change - 3 * DAY, change + HORIZON + 4 * DAY);
    const entropy = seededEntropy(hash32(`${seed}/${zone}/${change}`));
    for (let draw = 0; draw < each; draw++) {
      const times = drawSparse(entropy, shownAt(zone, change - MINUTE));
      const gap = GAPS[Math.floor(entropy.random() * GAPS.length)] ?? 'shift';
      const overlap = OVERLAPS[Math.floor(entropy.random() * OVERLAPS.length)];
      const after = change + Math.floor((entropy.random() - 0.5) * 2 * 1440) * MINUTE;
      if (neverComes(times)) continue;
      const range = [after, after + HORIZON, MOST] as const;
      const expected = sparseOccurrences(walk, times, { gap, overlap: overlap ?? (times.open ? 'both' : 'first') }, range);
      const recurrence = parseRecurrence({ cron: times.cron, zone, dst: { gap, ...(overlap === undefined ? {} : { overlap }) } });
      const ours = firstAfter(recurrence, range);
      occurrences += expected.length;
      const index = [...expected, ...ours].findIndex((_, place) => expected[place] !== ours[place]);
      if (index >= 0 && index < Math.max(expected.length, ours.length)) {
        const asked = `${zone} ${times.cron} ${gap} ${overlap ?? 'default'} after ${new Date(after).toISOString()}`;
        differences.push(`${asked}: the walk says ${expected[index] ?? 'nothing'}, we say ${ours[index] ?? 'nothing'}`);
      }
    }
  }
  return { occurrences, differences };
}

/** A day that its months lack, which is refused. */
function neverComes({ cron }: SparseTimes): boolean {
  try {
    parseCron(cron);
    return false;
  } catch (error) {
    if (error instanceof InvalidInputError) return true;
    throw error;
  }
}

/** The instants at which a zone's clocks jump, to the minute, as the runtime shows them. */
function changesOf(zone: string, from: number, until: number): readonly number[] {
  const found: number[] = [];
  const jumps = (start: number, end: number): boolean => shownAt(zone, end) - shownAt(zone, start) !== (end - start) / MINUTE;
  for (let day = from; day < until; day += DAY) {
    if (!jumps(day, day + DAY)) continue;
    let [low, high] = [day, day + DAY];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / MINUTE / 2) * MINUTE;
      if (jumps(low, middle)) high = middle;
      else low = middle;
    }
    found.push(high);
  }
  return found;
}
