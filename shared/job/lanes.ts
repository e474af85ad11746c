import { InvalidConfigurationError, InvalidInputError, shown } from './errors.ts';
import { checkWorkerName } from './names.ts';
import { checkedInUse, type OptionChecks } from './option-checks.ts';

/** The lane of a worker that names none, and of a job for which nothing else is known. */
export const DEFAULT_LANE = 'default';

/** The lane of fired timers, where a worker has one. It has no range: timers of any priority go there. */
export const TIMER_LANE = 'timers';

/** The priorities of a lane, both ends inclusive. Without `from` it takes everything below `to`, without `to` everything above `from`. */
export interface LaneRange {
  readonly from?: number;
  readonly to?: number;
}

/** Where a range is read, its numbers are checked with those of the other lanes. */
export const LANE_CHECKS: OptionChecks<LaneRange> = { from: checkedInUse, to: checkedInUse };

/**
 * The lanes of a worker, as encoded in the environment. Every priority belongs to exactly one lane, so the lower bounds say it
 * all: `from` names that of each lane but the lowest.
 */
export interface WorkerLanes {
  readonly lanes: Readonly<Record<string, unknown>>;
  readonly from?: Readonly<Record<string, number>>;
}

interface Bounded {
  readonly lane: string;
  readonly from: number;
  readonly to: number;
}

/**
 * The lower bounds of lanes that together take every priority exactly once. Throws InvalidConfigurationError with the field and
 * the fix for a gap, an overlap, a bound that is no whole number, or a name that no queue can have.
 */
export function laneBounds(lanes: Readonly<Record<string, LaneRange>>, field: string): Record<string, number> {
  const sorted = Object.entries(lanes)
    .map(([lane, range]) => bounded(lane, range, field))
    .toSorted((a, b) => a.from - b.from || a.to - b.to);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined) throw refused(field, 'there is no lane. Leave lanes out, or name at least one.');
  if (lowest.from !== Number.NEGATIVE_INFINITY) {
    throw refused(`${field}.${lowest.lane}.from`, `priorities below ${lowest.from} belong to no lane. Leave from out of the lowest lane.`);
  }
  for (const [index, next] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before !== undefined) checkNeighbours(before, next, field);
  }
  if (highest.to !== Number.POSITIVE_INFINITY) {
    throw refused(`${field}.${highest.lane}.to`, `priorities above ${highest.to} belong to no lane. Leave to out of the highest lane.`);
  }
  return Object.fromEntries(sorted.slice(1).map(({ lane, from }) => [lane, from]));
}

function bounded(lane: string, range: LaneRange | null | undefined, field: string): Bounded {
  const own = `${field}.${lane}`;
  if (lane === TIMER_LANE) throw refused(own, 'this name is reserved for fired timers. Use timersFirst, or another name.');
  checkName(lane, own);
  if (typeof range !== 'object' || range === null)
    throw refused(own, `${shown(range)} is no range. Give { from, to }; both may be left out.`);
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range;
  for (const [end, value] of Object.entries({ from, to })) {
    if (range[end as 'from' | 'to'] === undefined) continue;
    if (!Number.isSafeInteger(value))
      throw refused(`${own}.${end}`, `${shown(value)} is no priority. Use a whole number, or leave it out.`);
  }
  if (from > to) throw refused(own, `it begins at ${from} and ends at ${to}: no priority belongs to it. Swap the two.`);
  return { lane, from, to };
}

function checkName(lane: string, field: string): void {
  try {
    checkWorkerName(lane, field);
  } catch (error) {
    throw error instanceof InvalidInputError ? new InvalidConfigurationError(error.message) : error;
  }
}

function checkNeighbours(before: Bounded, next: Bounded, field: string): void {
  if (next.from <= before.to) {
    const shared = next.from === Number.NEGATIVE_INFINITY ? Math.min(before.to, next.to) : next.from;
    const which = Math.abs(shared) === Number.POSITIVE_INFINITY ? 'every priority' : `priority ${shared}`;
    const fix =
      next.from === Number.NEGATIVE_INFINITY ? `Give one of them a from` : `Let ${before.lane} end earlier ({ to: ${next.from - 1} })`;
    throw refused(`${field}.${next.lane}`, `${before.lane} and ${next.lane} both take ${which}. ${fix}, or make one lane of the two.`);
  }
  if (next.from !== before.to + 1) {
    const missing =
      next.from - 1 === before.to + 1 ? `priority ${before.to + 1} belongs` : `priorities ${before.to + 1} to ${next.from - 1} belong`;
    throw refused(`${field}.${next.lane}.from`, `${missing} to no lane. Let it begin at ${before.to + 1}.`);
  }
}

/** Refuses lower bounds that map a priority to no lane or to two, as in an environment written by hand. */
export function checkLanes({ lanes, from = {} }: WorkerLanes, field: string): void {
  if (typeof from !== 'object' || from === null || Array.isArray(from)) throw refused(`${field}.from`, 'it holds no lower bounds by lane.');
  const stray = Object.keys(from).find((lane) => lane === TIMER_LANE || !Object.hasOwn(lanes, lane));
  if (stray !== undefined)
    throw refused(`${field}.from`, `${shown(stray)} is no lane with a range. Known are: ${rangedLanes(lanes).join(', ')}.`);
  for (const [lane, bound] of Object.entries(from)) {
    if (!Number.isSafeInteger(bound)) throw refused(`${field}.from.${lane}`, `${shown(bound)} is no priority. Use a whole number.`);
  }
  const open = rangedLanes(lanes).filter((lane) => !Object.hasOwn(from, lane));
  if (open.length > 1)
    throw refused(`${field}.from`, `lanes ${open.join(' and ')} both begin below everything. Give all but one a lower bound.`);
  if (open.length === 0 && rangedLanes(lanes).length > 0)
    throw refused(`${field}.from`, 'no lane takes the lowest priorities. Leave one lane out of it.');
  const twice = Object.entries(from).find(([lane, bound]) =>
    Object.entries(from).some(([other, same]) => other !== lane && same === bound),
  );
  if (twice !== undefined)
    throw refused(`${field}.from.${twice[0]}`, `${twice[1]} is the lower bound of another lane as well. Change one of them.`);
}

/** The lane that takes a priority: the one with the highest lower bound that is not above it. */
export function laneOf(priority: number, { lanes, from = {} }: WorkerLanes): string {
  const bound = (lane: string): number => (Object.hasOwn(from, lane) ? (from[lane] ?? 0) : Number.NEGATIVE_INFINITY);
  return (
    rangedLanes(lanes).reduce<string | undefined>((best, lane) => {
      if (bound(lane) > priority) return best;
      return best === undefined || bound(lane) > bound(best) ? lane : best;
    }, undefined) ?? DEFAULT_LANE
  );
}

/** The lane of a job: that of fired timers, where the worker has one, otherwise that of its priority. */
export function laneOfJob(job: { readonly kind: 'async' | 'timer'; readonly priority: number }, queues: WorkerLanes | undefined): string {
  if (queues === undefined) return DEFAULT_LANE;
  return job.kind === 'timer' && Object.hasOwn(queues.lanes, TIMER_LANE) ? TIMER_LANE : laneOf(job.priority, queues);
}

/** The lane itself while the worker has it; after a deployment that took it away, the one that takes the priority now. */
export function laneInUse(lane: string, priority: number, queues: WorkerLanes): string {
  return Object.hasOwn(queues.lanes, lane) ? lane : laneOf(priority, queues);
}

/** Lanes in polling order: fired timers, then the highest range first. */
export function lanesByUrgency(lanes: readonly string[], from: Readonly<Record<string, number>>): readonly string[] {
  const bound = (lane: string): number => {
    if (lane === TIMER_LANE) return Number.POSITIVE_INFINITY;
    return Object.hasOwn(from, lane) ? (from[lane] ?? 0) : Number.NEGATIVE_INFINITY;
  };
  return lanes.toSorted((a, b) => (bound(a) < bound(b) ? 1 : -1));
}

function rangedLanes(lanes: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(lanes).filter((lane) => lane !== TIMER_LANE);
}

function refused(field: string, problem: string): InvalidConfigurationError {
  return new InvalidConfigurationError(`${field}: ${problem}`);
}
