import type { RunFigures } from './figures.ts';
import { round } from './figures.ts';

/** The factor by which a figure grew when the work grew by `work`. Time, units and dollars are totals, not per job. */
export interface Growth {
  readonly work: number;
  readonly drain: number;
  readonly writeUnits: number;
  readonly dollars: number;
}

/** A shorter drain is the time of the last few requests, independent of size: it counts as this long. */
const SHORTEST_DRAIN_SECONDS = 1;
/** Rounding to ticks, batches and pages. */
export const TOLERANCE = 1.1;

/** Growth from one run to a larger one. A figure that is zero in both has not grown. */
export function growthOf(small: RunFigures, large: RunFigures): Growth {
  const drainOf = ({ drainSeconds }: RunFigures): number => Math.max(SHORTEST_DRAIN_SECONDS, drainSeconds);
  const times = (after: number, before: number): number => (before === after ? 1 : round(after / before));
  return {
    work: large.size / small.size,
    drain: times(drainOf(large), drainOf(small)),
    writeUnits: times(large.totals.writeUnits, small.totals.writeUnits),
    dollars: times(large.totals.dollars, small.totals.dollars),
  };
}

/** Whether nothing grew faster than the work, within a tenth. */
export const isLinear = ({ work, drain, writeUnits, dollars }: Growth): boolean => Math.max(drain, writeUnits, dollars) <= work * TOLERANCE;
