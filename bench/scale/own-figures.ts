/** How a figure that only some scenarios have is shown. */
interface OwnFigure {
  readonly what: string;
  readonly unit: string;
  /** What it must not pass. */
  readonly most?: number;
  /** The figure of the same scenario that it is held against. */
  readonly beside?: string;
}

/** By the name under which a scenario gives it. */
export const OWN_FIGURES: Readonly<Record<string, OwnFigure>> = {
  boundSeconds: { what: 'the least that the tables allow', unit: 's' },
  enqueueSeconds: { what: 'until all were enqueued', unit: 's' },
  refusedAtFirst: { what: 'refused at first, and offered again', unit: 'jobs' },
  waitP50Ms: { what: 'wait from due to start, median', unit: 'ms' },
  waitP99Ms: { what: 'wait from due to start, p99', unit: 'ms' },
  historyLost: { what: 'history rows lost', unit: 'rows' },
  early: { what: 'started early', unit: 'jobs', most: 0 },
  lateP50Ms: { what: 'late, median', unit: 'ms' },
  lateP95Ms: { what: 'late, p95', unit: 'ms' },
  lateP99Ms: { what: 'late, p99', unit: 'ms' },
  lateMostMs: { what: 'late, most', unit: 'ms' },
  smallP50AloneMs: { what: 'small tenants alone, median', unit: 'ms' },
  smallP50Ms: { what: 'small tenants beside the large one, median', unit: 'ms', beside: 'smallP50AloneMs' },
  smallP99AloneMs: { what: 'small tenants alone, p99', unit: 'ms' },
  smallP99Ms: { what: 'small tenants beside the large one, p99', unit: 'ms', beside: 'smallP99AloneMs' },
  largeP99Ms: { what: 'the large tenant, p99', unit: 'ms' },
  readUnitsARun: { what: 'read units that a run of the sweeper may spend', unit: 'read units' },
  runs: { what: 'runs of the sweeper, one a minute, for a whole pass', unit: 'runs' },
  readUnits: { what: 'read units of a pass', unit: 'read units' },
  explained: { what: 'left, because messages explain the wait', unit: 'jobs' },
  lostHints: { what: 'hints lost', unit: 'jobs' },
  sentAgain: { what: 'jobs whose hint was sent again in this pass', unit: 'jobs', beside: 'lostHints' },
  resetsWithoutNeed: { what: 'sent again without need', unit: 'jobs' },
  writeUnits: { what: 'write units of a pass', unit: 'write units' },
  rowsASecond: { what: 'rows a second', unit: 'rows/s' },
  expected: { what: 'occurrences in the time', unit: 'jobs' },
  missed: { what: 'missed', unit: 'jobs', most: 0 },
  startedTwice: { what: 'started twice', unit: 'jobs', most: 0 },
  idleTicks: { what: 'ticks that could find nothing, counted, not driven', unit: 'ticks' },
  idleReadUnits: { what: 'read units of those', unit: 'read units' },
  idleWriteUnits: { what: 'write units of those', unit: 'write units' },
};
