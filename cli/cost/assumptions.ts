/** Values that are assumed, not measured. The total depends on them, so they are printed with it. */
export const ASSUMED = {
  /** Executor time per delivery batch, without its handlers. */
  executorMs: 25,
  /** Time of a tick with nothing to do. */
  tickMs: 150,
  /** Log bytes per invocation: start, report, metrics. Handlers' own lines are additional. */
  logBytesPerInvocation: 1_500,
  /** Pollers with which an event source watches a queue: fewer than five only without a largest concurrency, which ours has. */
  pollersPerQueue: 5,
  /** Long polls of 20 s. */
  pollsPerMinute: 3,
  /** X-Ray: the first request of a second, and a twentieth of the others. */
  tracedOthers: 0.05,
} as const;

/** Minutes of the month that is computed. */
export const MONTH_MINUTES = 43_200;

/** The same for people. */
export const ASSUMPTIONS: readonly string[] = [
  `a month has 30 days, jobs come evenly spread over it`,
  `the executor spends ${ASSUMED.executorMs} ms on a batch besides its handlers, a tick with nothing to do takes ${ASSUMED.tickMs} ms`,
  `an invocation logs ${ASSUMED.logBytesPerInvocation} bytes; what handlers log comes on top`,
  `Lambda watches each queue with ${ASSUMED.pollersPerQueue} long polls of 20 s`,
  `X-Ray records the first request of a second and 5 % of the others`,
];
