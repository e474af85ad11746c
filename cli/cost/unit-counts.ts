/**
 * What one job writes from its enqueueing to its end, in write units of DynamoDB, indexes included, without history and below 1 KB. Measured: a test counts
 * each line anew and compares it with this list and with docs/operate/costs.md.
 */
export const WRITE_UNITS = {
  'plain job': 3,
  'one failed attempt': 5,
  'one snooze': 5,
  'dead letter, of a known error': 9,
  'dead letter, of an error that this sandbox has seen in the last ten seconds': 8,
  'dead letter, of a new error': 10,
  'unique key': 9,
  'exclusive group': 5,
  'group as a label only': 3,
  'priority, tenant, correlation id': 3,
  'one `continueWith`': 5,
  'one report of progress': 4,
  result: 6,
  'completion with one follow-up, before that runs': 6,
  'concurrency limit with room': 5,
  'rate limit with room': 4,
  'rate limit, one wait': 7,
  'child of a batch': 7,
  'suspended and resumed': 14,
  'report of its worker, one in 5 minutes for all jobs of a process': 1,
} as const;

/** Write units of a job that history or its due time makes dearer, and SQS requests of one: a send, a receive and a delete for ten. */
export const JOB_COUNTS = {
  plain: WRITE_UNITS['plain job'],
  plainWithHistory: WRITE_UNITS['plain job'] + 1,
  plainWithDurableHistory: WRITE_UNITS['plain job'] + 5,
  shortTimer: WRITE_UNITS['plain job'],
  farTimer: 7,
  failedAttempt: WRITE_UNITS['one failed attempt'] - WRITE_UNITS['plain job'],
  sqsRequestsPerJob: 0.3,
} as const;

/** A tick that finds nothing to do. */
export const IDLE_TICK = {
  /** Half a read unit for each shard that is its own, and half a one each for the rules and for the list of parked jobs. */
  acquirer: { shards: 64, readUnitsPerShard: 0.5, otherReadUnits: 1, writeUnits: 1 },
  /** The rules, for each of the four segments its cursor and an empty page, then five lists. */
  sweeper: { readUnits: 9, writeUnits: 1 },
  /** Lock of a shard that has due timers: taken and given back. */
  lockOfShard: 2,
} as const;

/** Custom metrics: those that ticks always publish, those of a worker that runs jobs, and those that timers add. */
export const METRICS = { acquirer: 1, sweeper: 3, worker: 5, timers: 3 } as const;

/** Maximum writes and reads of a busy sandbox in addition to its jobs, in a month of 30 days. */
export const SANDBOX_MONTH = {
  /** Statistics, one write in ten seconds, and one more for what is left of a minute that has ended. */
  statistics: 7 * 43_200,
  /** Rules of operators, half a read unit in five seconds. */
  ruleReads: 12 * 43_200,
  /** Its worker's report, one write in five minutes. */
  reports: 43_200 / 5,
} as const;

/** Metrics that the alarms of a deployment of one worker and one lane read: an alarm on metric math is charged for each metric in it. */
export const ALARM_METRICS = 27;
