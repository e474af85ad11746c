import type { RunFigures } from '../../bench/scale/figures.ts';

/** A run of a scenario in which nothing is remarkable. */
export const RUN: RunFigures = {
  size: 100,
  jobs: 100,
  drainSeconds: 10,
  hottestWrite: { key: 'jobs x', unitsPerSecond: 4 },
  hottestRead: { key: 'control rules', unitsPerSecond: 8 },
  throttles: { key: 0, table: 0, givenUp: 0 },
  conflicts: 0,
  writeUnitsPerJob: 4,
  dollarsPerMillion: 2.6,
  totals: { writeUnits: 400, readUnits: 10, dollars: 0.000_26 },
  mostExecutors: 5,
  tookSeconds: 1,
  own: {},
};
