/**
 * What the model knows of AWS. Limits are those of the developer guides. Latencies are medians and 99th percentiles that others measured
 * from a Lambda in the same Region: writes and transactions by https://github.com/alexdebrie/dynamodb-performance-testing, delivery by
 * https://bitesizedserverless.com/bite/serverless-messaging-latency-compared/; those marked so are assumptions.
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
  /** Assumed: reads are a little quicker than writes. */
  getMs: { p50: 4, p99: 12 },
  queryMs: { p50: 5, p99: 15 },
  readMsPerMegabyte: 20,
  writeMs: { p50: 7.55, p99: 16.2 },
  batchMs: { p50: 10.2, p99: 27.6 },
  /** Without its actions: measured with five of them and with twenty-five. */
  transactMs: { p50: 23.6, p99: 91.3 },
  transactMsPerAction: 0.34,
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
  /** Assumed. */
  sendMs: { p50: 10, p99: 30 },
  deleteMs: { p50: 10, p99: 30 },
  /** From the queue to the function. */
  hopMs: { p50: 16.2, p99: 105 },
  fifoHopMs: { p50: 28.1, p99: 645 },
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
  /** Initialisation of the code, the clients and the first connection; the tail is assumed. */
  coldStartMs: { p50: 375, p99: 750 },
  /** Processor time of the executor for each job of a batch: an assumption, on the safe side of what `bench overhead` measures. */
  cpuMsPerJob: 1,
} as const;
