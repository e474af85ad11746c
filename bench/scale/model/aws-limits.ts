/**
 * The model's figures of AWS. Limits are those of the developer guides. Latencies are medians and 99th percentiles that others measured
 * from a Lambda in the same Region: writes and transactions by https://github.com/alexdebrie/dynamodb-performance-testing, delivery by
 * https://bitesizedserverless.com/bite/serverless-messaging-latency-compared/; those marked so are assumptions.
 */
export const DYNAMO = {
  /** Units per second of one partition key, in any table mode (developer guide, partition key design). */
  keyWrites: 1_000,
  keyReads: 3_000,
  /** Initial throughput of a new on-demand table (developer guide, warm throughput). */
  freshWrites: 4_000,
  freshReads: 12_000,
  /** The default quota of a table, to which the scenarios' tables are pre-warmed. */
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

/** SQS: batch size, in-flight limit, calls to a FIFO queue in high-throughput mode. */
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
  /** Share of in-flight messages from which a fair queue deprioritizes a group; AWS gives no figure. */
  noisyShare: 0.1,
} as const;

/** Lambda's event source for SQS, and a cold start of Node 24 with the SDK in its bundle. */
export const LAMBDA = {
  firstPollers: 5,
  morePerMinute: 300,
  mostPerMapping: 1_250,
  /** A mapping that was idle for this long starts again with its initial pollers. */
  idleMs: 60_000,
  /** Initialisation of the code, the clients and the first connection; the tail is assumed. */
  coldStartMs: { p50: 375, p99: 750 },
  /** CPU time of the executor per job: an assumption, on the safe side of `bench overhead`. */
  cpuMsPerJob: 1,
} as const;
