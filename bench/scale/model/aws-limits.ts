/**
 * What the model knows of AWS. Limits are those of the developer guides, latencies medians that others measured from a Lambda in the
 * same Region, without a tail: what is asked here is which limit binds and how figures grow, not how long one request takes.
 */
export const DYNAMO = {
  /** Units a second of one partition key, whatever the table's mode (developer guide, partition key design). */
  keyWrites: 1_000,
  keyReads: 3_000,
  /** What a new on-demand table takes at once (developer guide, warm throughput). */
  freshWrites: 4_000,
  freshReads: 12_000,
  /** The default quota of a table, and what the pre-warmed tables of the scenarios are warmed to. */
  quotaWrites: 40_000,
  quotaReads: 40_000,
  /** An on-demand table takes twice its previous peak, but more than that within this time may be throttled: the model throttles it. */
  doublesAfterMs: 30 * 60_000,
  getMs: 4,
  queryMs: 5,
  readMsPerMegabyte: 20,
  writeMs: 8,
  batchMs: 10,
  transactMs: 24,
  transactMsPerAction: 0.35,
  /** Attempts of the SDK for one request, and the base of its jittered waits after throttling. */
  sdkAttempts: 4,
  sdkThrottleBaseMs: 500,
  sdkLongestWaitMs: 20_000,
} as const;

/** SQS: batches, what may be in flight, calls to a FIFO queue in high-throughput mode. */
export const SQS = {
  batch: 10,
  inFlight: 120_000,
  fifoCallsPerSecond: 70_000,
  sendMs: 10,
  deleteMs: 10,
  hopMs: 16,
  /** Share of what is in flight from which a fair queue lets a group yield to others; AWS gives no figure. */
  noisyShare: 0.1,
} as const;

/** Lambda's event source for SQS, and a cold start of Node 24 with the SDK in its bundle. */
export const LAMBDA = {
  firstPollers: 5,
  morePerMinute: 300,
  mostPerMapping: 1_250,
  /** A mapping that had nothing to do for so long begins with its first pollers again. */
  idleMs: 60_000,
  coldStartMs: 375,
  /** Processor time of the executor for each job of a batch: an assumption, on the safe side of what `bench overhead` measures. */
  cpuMsPerJob: 1,
} as const;
