import { type Planned, plannedAfter, type Schedule } from './schedule.ts';

/** Occurrences of a schedule by the clock, not by when they were fired. */
export interface CameDue {
  /** Occurrences that became jobs and are due. */
  readonly runs: number;
  /** Occurrences that became jobs ahead of their time. */
  readonly ahead: number;
  /** The last due one. */
  readonly last?: number;
  /** The first one that is not due. */
  readonly next?: Planned;
}

/** How many occurrences whose jitter spans `now` are distinguished at most. */
const MAX_LOOKED_AT = 1_000;

/** What of a schedule has come due: the acquirer fires occurrences minutes ahead of their time. Pure. */
export function cameDue(schedule: Schedule, now: number): CameDue {
  const { definition, lastNominal, runs, next } = schedule;
  const after = next && { next };
  if (lastNominal === undefined || lastNominal + definition.jitterMs <= now) return { runs, ahead: 0, ...lastOf(lastNominal), ...after };
  const [due, ahead]: [Planned[], Planned[]] = [[], []];
  let one = plannedAfter(schedule, now - definition.jitterMs);
  for (let looked = 0; one !== undefined && one.nominal <= lastNominal && looked < MAX_LOOKED_AT; looked++) {
    (one.dueAt > now ? ahead : due).push(one);
    one = plannedAfter(schedule, one.nominal);
  }
  const came = Math.max(0, runs - ahead.length);
  const last = came === 0 ? undefined : (due.at(-1)?.nominal ?? lastBefore(schedule, now - definition.jitterMs));
  const [first] = ahead;
  return {
    runs: came,
    ahead: runs - came,
    ...lastOf(last),
    ...(first === undefined || schedule.paused !== undefined ? after : { next: first }),
  };
}

const lastOf = (last: number | undefined): { readonly last?: number } => (last === undefined ? {} : { last });

/** The latest occurrence up to an instant, none from before the recurrence was given: found by halving, because recurrences only go forward. */
function lastBefore(schedule: Schedule, through: number): number | undefined {
  const first = (from: number): number => plannedAfter(schedule, from)?.nominal ?? Number.POSITIVE_INFINITY;
  let [low, high] = [schedule.anchor - 1, through];
  if (first(low) > through) return undefined;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (first(middle) <= through) low = middle;
    else high = middle;
  }
  return first(low);
}
