/** How to show a figure that only some scenarios have. */
interface OwnFigure {
  readonly what: string;
  readonly unit: string;
  /** The target: the figure is at most this. */
  readonly max?: number;
  /** The baseline: another figure of the same scenario. */
  readonly baseline?: string;
}

/** By the name that a scenario gives the figure. */
export const OWN_FIGURES: Readonly<Record<string, OwnFigure>> = {
  boundSeconds: { what: 'minimum that the tables allow', unit: 's' },
  enqueueSeconds: { what: 'time until all are enqueued', unit: 's' },
  refusedAtFirst: { what: 'refused at first, then retried', unit: 'jobs' },
  waitP50Ms: { what: 'wait from due to start, median', unit: 'ms' },
  waitP99Ms: { what: 'wait from due to start, p99', unit: 'ms' },
  historyLost: { what: 'history rows lost', unit: 'rows' },
  early: { what: 'started early', unit: 'jobs', max: 0 },
  lateP50Ms: { what: 'late, median', unit: 'ms' },
  lateP95Ms: { what: 'late, p95', unit: 'ms' },
  lateP99Ms: { what: 'late, p99', unit: 'ms' },
  lateMostMs: { what: 'late, max', unit: 'ms' },
  smallP50AloneMs: { what: 'small tenants alone, median', unit: 'ms' },
  smallP50Ms: { what: 'small tenants with the large one, median', unit: 'ms', baseline: 'smallP50AloneMs' },
  smallP99AloneMs: { what: 'small tenants alone, p99', unit: 'ms' },
  smallP99Ms: { what: 'small tenants with the large one, p99', unit: 'ms', baseline: 'smallP99AloneMs' },
  largeP99Ms: { what: 'the large tenant, p99', unit: 'ms' },
  readUnitsARun: { what: 'read units allowed per sweeper run', unit: 'read units' },
  runs: { what: 'sweeper runs for a full pass, one a minute', unit: 'runs' },
  readUnits: { what: 'read units of a pass', unit: 'read units' },
  explained: { what: 'skipped, because messages explain the wait', unit: 'jobs' },
  lostHints: { what: 'hints lost', unit: 'jobs' },
  sentAgain: { what: 'jobs redispatched in this pass', unit: 'jobs', baseline: 'lostHints' },
  resetsWithoutNeed: { what: 'redispatched without need', unit: 'jobs' },
  writeUnits: { what: 'write units of a pass', unit: 'write units' },
  rowsASecond: { what: 'rows a second', unit: 'rows/s' },
  expected: { what: 'occurrences in this period', unit: 'jobs' },
  missed: { what: 'missed', unit: 'jobs', max: 0 },
  startedTwice: { what: 'started twice', unit: 'jobs', max: 0 },
  idleTicks: { what: 'ticks without work, counted but not run', unit: 'ticks' },
  idleReadUnits: { what: 'read units of these ticks', unit: 'read units' },
  idleWriteUnits: { what: 'write units of these ticks', unit: 'write units' },
};
