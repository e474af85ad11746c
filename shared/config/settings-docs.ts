import type { SettingName } from './settings.ts';

/**
 * What each setting means. `docs/reference/settings.md` and the doc comments of the construct's props are generated from these texts and from
 * the ranges in `settings.ts`. Apart from them, so that bundles do not carry the texts.
 */
export const SETTING_DOCS: Readonly<Record<SettingName, string>> = {
  delayHorizonMs:
    'An enqueued job due within this time waits in a queue with a delayed hint; a later one waits in Timers, as occurrences of schedules do. The construct refuses less than horizon plus 6 minutes.',
  leaseMarginMs:
    "In Lambda, how long a lease outlasts its executor's hard deadline; at least twice the clock skew. Outside Lambda, how long before its end a lease is given up.",
  redispatchAfterMs:
    'How long a ready job that is due waits before the sweeper may send its hint again; doubles with each further resend, up to an hour.',
  firstRedispatchAfterMs:
    'As redispatchAfter, for a newly enqueued job. The construct refuses less than 6 minutes: within that time a frozen producer could put back a finished job.',
  crashLimit: 'With this many crashes a job becomes a dead letter (crash-loop). Crashes of a job that did not run alone do not count.',
  chainLimit: 'How many links a chain of jobs that enqueue jobs may have.',
  historyDays: 'How many days History keeps finished jobs, their attempts and events.',
  statistics:
    'Which statistics per minute functions and workers outside Lambda write, for the console and the CLI: 0 none, 1 by worker, 2 also by type, 3 also by tenant.',
  batchWrites:
    'Whether functions and `runWorker` make up to 25 conditional writes of one moment in one request (BatchExecuteStatement), and they and clients up to 25 plain enqueues (BatchWriteItem). 0 means no; enqueueMany and History still write in batches.',
  executorTimeoutMs: 'Timeout of the executor function: the upper bound of one run.',
  executorMemoryMb: 'Memory of the executor function.',
  batchSize: 'Messages per invocation at most. Above 10 it needs a batch window of 1 s or more; FIFO queues take at most 10.',
  batchWindowMs: 'How long at most the event source gathers messages of a standard queue.',
  batchConcurrency: 'Jobs of a delivery batch that run at the same time at most; 0 means the batch size, at most 250; 1 means one by one.',
  maxConcurrency: 'Executors of a queue that the event source runs at the same time: 2 or more. 0 sets no limit.',
  provisionedConcurrency: 'Sandboxes to keep warm; 0 means none. They cost money around the clock.',
  abortGraceMs:
    'How long a handler may still take after its time limit. Then its process ends: in Lambda as soon as the other jobs of its delivery batch are done, outside it before the lease does.',
  recordReserveMs: "Time kept before Lambda's kill to record outcomes.",
  minimumRunMs:
    'A job that is received with less time left than this is returned to its queue. One with a longer timeout needs that, or about as much as a whole invocation has.',
  yieldReserveMs:
    'A run that calls yieldIfNeeded() with less time left than this, or than a tenth of its time if that is shorter, continues in a new run.',
  workerLeaseMs:
    'Lease of a job that `runWorker` runs outside Lambda. It is renewed after each third of its time; a crash is noticed after it has ended.',
  cancelPollMs: 'How often a handler that runs is checked for a cancel request.',
  maxReceiveCount: 'Receives after which SQS moves a message to the dead-letter queue of its worker.',
  acquirerIntervalMs: 'How often the acquirer looks for due timers. Horizon must be at least twice this plus a minute.',
  acquirerTimeoutMs: 'Timeout of the acquirer function.',
  acquirerMemoryMb: 'Memory of the acquirer function.',
  acquirers: 'Acquirers that share the 64 shards.',
  horizonMs:
    'How far ahead timers are fired, with a delayed hint: at least twice acquirerInterval plus a minute, at most delayHorizon minus 6 minutes.',
  timerPageSize: 'Timers read from a shard at a time, at most.',
  parallelTransactions: 'Transactions of a shard that move timers at the same time, at most.',
  parallelShards: 'Shards that an acquirer reads at the same time, at most.',
  sweeperIntervalMs: 'How often the sweeper starts.',
  sweeperTimeoutMs: 'Timeout of the sweeper function.',
  sweeperMemoryMb: 'Memory of the sweeper function.',
  sweepSegments: 'Parallel scan segments of Jobs.',
  sweepPageSize: 'Rows read per page of the scan, at most.',
  sweepReadUnits:
    'Read units of the scan of a run, divided among `sweepSegments`. A segment stops after the page that uses up its share; the next run continues there.',
  sweepParallelWrites: 'Rows reset or buried at the same time, divided among `sweepSegments`; at least one for each of them.',
  sweepSkewMs: 'How long after its end a lease counts as expired for the sweeper, to allow for another clock.',
  backlogPatienceMs:
    'How long after the end of its lease any message in its queue may explain why a job waits, so that its hint is not sent again. After that, messages of newer jobs explain nothing; after 24 times as long, none does.',
  deadLetterDays:
    'After how many days the sweeper removes dead letters; 0 means never. Operators set another time for a type or for all at run time. Those of an error group with a note or an owner stay.',
  noHandlerFirstRetryMs:
    'Delay before a job is first tried again whose type, payload version or codec is unknown; doubles each time, up to noHandlerMaxRetry. It is tried sooner when a worker reports that it knows it.',
  noHandlerMaxRetryMs: 'Longest delay before a job of an unknown type, payload version or codec is tried again.',
  resumesPerRun: 'How many suspended jobs one run of the sweeper resumes at most.',
};
