/**
 * What a schedule means, the slow way: minute by minute over the clocks that the runtime shows for a zone, with no arithmetic on
 * offsets. It shares no code with what it judges.
 */

/** The minutes of an hour and the hours of a day that match; every day does. */
export interface DailyTimes {
  readonly cron: string;
  readonly hours: readonly number[];
  readonly minutes: readonly number[];
}

/** An occurrence as text: the instant, and what daylight saving did. */
export type OracleOccurrence = string;

interface Minute {
  readonly at: number;
  /** What the clocks show, in minutes since 1970 as if it were UTC. */
  readonly wall: number;
}

const MINUTE = 60_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/** The minutes of a stretch of time with what the clocks of a zone show. */
export function walk(zone: string, from: number, through: number): readonly Minute[] {
  const minutes: Minute[] = [];
  for (let at = from; at <= through; at += MINUTE) minutes.push({ at, wall: shownAt(zone, at) });
  return minutes;
}

/** What the clocks of a zone show, in minutes: read from a sentence, as a person would. */
export function shownAt(zone: string, at: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(zone, format);
  }
  return Math.round(Date.parse(`${format.format(at).replace(' ', 'T')}:00Z`) / MINUTE);
}

/** Every occurrence of the inner part of a walk; a day at both ends is only there to know what is shown twice. */
export function occurrencesIn(
  minutes: readonly Minute[],
  times: DailyTimes,
  policy: { readonly gap: 'shift' | 'skip'; readonly overlap: 'first' | 'second' | 'both' },
): readonly OracleOccurrence[] {
  const [hours, ofHour] = [new Set(times.hours), new Set(times.minutes)];
  const matches = (wall: number): boolean => ofHour.has(wall % 60) && hours.has(Math.floor(wall / 60) % 24);
  const lastShown = new Map<number, number>();
  for (const [index, { wall }] of minutes.entries()) lastShown.set(wall, index);
  const firstShown = new Map<number, number>();
  for (const [index, { wall }] of minutes.entries()) if (!firstShown.has(wall)) firstShown.set(wall, index);
  const found = new Map<number, string>();
  for (const [index, { at, wall }] of minutes.entries()) {
    const before = minutes[index - 1];
    if (before !== undefined && policy.gap === 'shift') {
      for (let skipped = before.wall + 1; skipped < wall; skipped++) {
        const shifted = at + (skipped - before.wall - 1) * MINUTE;
        if (matches(skipped) && !found.has(shifted)) found.set(shifted, 'gap-shifted');
      }
    }
    if (!matches(wall)) continue;
    const kind = firstShown.get(wall) !== index ? 'second' : lastShown.get(wall) !== index ? 'first' : '';
    if (kind === '' || policy.overlap === 'both' || kind === policy.overlap) found.set(at, kind);
  }
  const first = (minutes[0]?.at ?? 0) + 24 * 60 * MINUTE;
  const last = (minutes.at(-1)?.at ?? 0) - 24 * 60 * MINUTE;
  return [...found]
    .filter(([at]) => at >= first && at <= last)
    .toSorted(([a], [b]) => a - b)
    .map(([at, kind]) => `${new Date(at).toISOString()} ${kind}`);
}
