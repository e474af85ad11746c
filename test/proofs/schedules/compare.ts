import { Cron } from 'croner';
import {
  nextOccurrence,
  parseRecurrence,
  type Recurrence,
  type RecurrenceInput,
} from '../../../shared/features/schedules/model/recurrence.ts';
import { transitionsBetween } from '../../../shared/features/schedules/model/zone.ts';
import { type DailyTimes, occurrencesIn, shownAt, walk } from './oracle.ts';

/** What was compared, and where the two differed: empty when all is well. */
export interface Compared {
  readonly occurrences: number;
  readonly differences: readonly string[];
}

const DAY = 86_400_000;
const range = (from: number, through: number, step = 1): readonly number[] =>
  Array.from({ length: Math.floor((through - from) / step) + 1 }, (_, index) => from + index * step);

/** Times of day that changes of the clocks meet in every way. */
export const DAILY: readonly DailyTimes[] = [
  { cron: '30 2 * * *', hours: [2], minutes: [30] },
  { cron: '0 0 * * *', hours: [0], minutes: [0] },
  { cron: '*/20 0-3,23 * * *', hours: [0, 1, 2, 3, 23], minutes: [0, 20, 40] },
  { cron: '7 * * * *', hours: range(0, 23), minutes: [7] },
  { cron: '*/13 * * * *', hours: range(0, 23), minutes: range(0, 59, 13) },
];

const POLICIES = (['shift', 'skip'] as const).flatMap((gap) => (['first', 'second', 'both'] as const).map((overlap) => ({ gap, overlap })));

/** Every policy, minute by minute, around each change of a zone's clocks within some years. */
export function compareWithOracle(zone: string, years: readonly [number, number]): Compared {
  const differences: string[] = [];
  let [occurrences, seen] = [0, -1];
  const [start, end] = [Date.UTC(years[0], 0), Date.UTC(years[1] + 1, 0)];
  for (let day = start; day < end; day += DAY) {
    const changes = shownAt(zone, day + DAY) - shownAt(zone, day) !== 24 * 60;
    if (!changes || day <= seen) continue;
    seen = day;
    const minutes = walk(zone, day - 2 * DAY, day + 3 * DAY);
    for (const times of DAILY) {
      for (const dst of POLICIES) {
        const expected = occurrencesIn(minutes, times, dst);
        const ours = between({ cron: times.cron, zone, dst }, day - DAY, day + 2 * DAY).map(
          ({ at, mark = '' }) => `${new Date(at).toISOString()} ${mark}`,
        );
        occurrences += expected.length;
        const different = expected.find((one, index) => one !== ours[index]) ?? ours[expected.length];
        if (different !== undefined) differences.push(`${zone} ${times.cron} ${dst.gap} ${dst.overlap}: ${different}`);
      }
    }
  }
  return { occurrences, differences };
}

/** Expressions of every kind of field, for the other implementation. */
export const EXPRESSIONS: readonly string[] = [
  '30 2 * * *',
  '0 9 * * MON-FRI',
  '15 1,13 1,15 * *',
  '0 0 L * *',
  '45 23 13 * FRI',
  '30 */6 * 2-11 *',
];

/**
 * Every occurrence within some years beside croner. It moves what a gap skips to the end of the gap and we by its length, and
 * runs other expressions twice, so the hours after a change are left out here; the oracle looks at them.
 */
export function compareWithCroner(zone: string, cron: string, years: readonly [number, number]): Compared {
  const [start, end] = [Date.UTC(years[0], 0), Date.UTC(years[1] + 1, 0)];
  const changes = transitionsBetween(zone, start - DAY, end);
  const outside = (at: number): boolean => !changes.some((one) => at >= one.at && at < one.at + Math.abs(one.after - one.before));
  const ours = between({ cron, zone }, start, end - 1)
    .map(({ at }) => at)
    .filter(outside);
  const job = new Cron(cron, { timezone: zone, paused: true });
  const theirs: number[] = [];
  for (let next = job.nextRun(new Date(start - 1000)); next !== null && next.getTime() < end; next = job.nextRun(next))
    theirs.push(next.getTime());
  const expected = theirs.filter(outside);
  const index = range(0, Math.max(expected.length, ours.length)).find((place) => expected[place] !== ours[place]);
  const shown = (at: number | undefined): string => (at === undefined ? 'nothing' : new Date(at).toISOString());
  const differences = index === undefined ? [] : [`${zone} ${cron}: croner says ${shown(expected[index])}, we say ${shown(ours[index])}`];
  return { occurrences: expected.length, differences };
}

/** Our first occurrences after an instant and through another, as the oracle writes them. */
export function firstAfter(recurrence: Recurrence, [after, through, most]: readonly [number, number, number]): readonly string[] {
  const found: string[] = [];
  for (
    let next = nextOccurrence(recurrence, after, after);
    next && next.at <= through && found.length < most;
    next = nextOccurrence(recurrence, next.at, after)
  ) {
    found.push(`${new Date(next.at).toISOString()} ${next.mark ?? ''}`);
  }
  return found;
}

/** Our occurrences with `from <= at <= through`. */
function between(input: RecurrenceInput, from: number, through: number) {
  const recurrence = parseRecurrence(input);
  const found: { readonly at: number; readonly mark?: string }[] = [];
  for (
    let next = nextOccurrence(recurrence, from - 1, from);
    next && next.at <= through;
    next = nextOccurrence(recurrence, next.at, from)
  ) {
    found.push(next);
  }
  return found;
}
