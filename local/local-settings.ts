/** Settings under which every path of a job's life shows within seconds. Not for production: see each setting's range and doc. */
export const LOCAL_SETTINGS: Readonly<Record<string, number>> = {
  delayHorizonMs: 2_000,
  horizonMs: 3_000,
  redispatchAfterMs: 5_000,
  firstRedispatchAfterMs: 8_000,
  executorTimeoutMs: 10_000,
  leaseMarginMs: 4_000,
  recordReserveMs: 1_000,
  abortGraceMs: 500,
  minimumRunMs: 500,
  cancelPollMs: 1_000,
  maxConcurrency: 5,
  acquirerTimeoutMs: 10_000,
  sweeperTimeoutMs: 10_000,
  sweepSkewMs: 0,
  noHandlerFirstRetryMs: 2_000,
  noHandlerMaxRetryMs: 10_000,
};
