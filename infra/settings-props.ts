import type { Duration, Size } from 'aws-cdk-lib';

/**
 * Every setting of the executor, the acquirer and the sweeper; `docs/reference/settings.md` lists the ranges.
 * Generated from `shared/config/settings.ts` by `npm run docs`.
 */
export interface SettingsProps {
  /**
   * An enqueued job due within this time waits in a queue with a delayed hint; a later one waits in Timers, as occurrences of schedules do. The construct refuses less than horizon plus 6 minutes.
   * @default Duration.minutes(15)
   */
  readonly delayHorizon?: Duration;
  /**
   * In Lambda, how long a lease outlasts its executor's hard deadline; at least twice the clock skew. Outside Lambda, how long before its end a lease is given up.
   * @default Duration.seconds(10)
   */
  readonly leaseMargin?: Duration;
  /**
   * How long a ready job that is due waits before the sweeper may send its hint again; doubles with each further resend, up to an hour.
   * @default Duration.minutes(2)
   */
  readonly redispatchAfter?: Duration;
  /**
   * As redispatchAfter, for a newly enqueued job. The construct refuses less than 6 minutes: within that time a frozen producer could put back a finished job.
   * @default Duration.minutes(6)
   */
  readonly firstRedispatchAfter?: Duration;
  /**
   * With this many crashes a job becomes a dead letter (crash-loop). Crashes of a job that did not run alone do not count.
   * @default 3
   */
  readonly crashLimit?: number;
  /**
   * How many links a chain of jobs that enqueue jobs may have.
   * @default 10000
   */
  readonly chainLimit?: number;
  /**
   * How many days History keeps finished jobs, their attempts and events.
   * @default 3
   */
  readonly historyDays?: number;
  /**
   * Which statistics per minute functions and workers outside Lambda write, for the console and the CLI: 0 none, 1 by worker, 2 also by type, 3 also by tenant.
   * @default 1
   */
  readonly statistics?: number;
  /**
   * Whether functions and `runWorker` make up to 25 conditional writes of one moment in one request (BatchExecuteStatement), and they and clients up to 25 plain enqueues (BatchWriteItem). 0 means no; enqueueMany and History still write in batches.
   * @default 1
   */
  readonly batchWrites?: number;
  /**
   * Timeout of the executor function: the upper bound of one run.
   * @default Duration.minutes(5)
   */
  readonly executorTimeout?: Duration;
  /**
   * Memory of the executor function.
   * @default Size.mebibytes(512)
   */
  readonly executorMemory?: Size;
  /**
   * Messages per invocation at most. Above 10 it needs a batch window of 1 s or more; FIFO queues take at most 10.
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long at most the event source gathers messages of a standard queue.
   * @default Duration.seconds(0)
   */
  readonly batchWindow?: Duration;
  /**
   * Jobs of a delivery batch that run at the same time at most; 0 means the batch size, at most 250; 1 means one by one.
   * @default 0
   */
  readonly batchConcurrency?: number;
  /**
   * Executors of a queue that the event source runs at the same time: 2 or more. 0 sets no limit.
   * @default 50
   */
  readonly maxConcurrency?: number;
  /**
   * Sandboxes to keep warm; 0 means none. They cost money around the clock.
   * @default 0
   */
  readonly provisionedConcurrency?: number;
  /**
   * How long a handler may still take after its time limit. Then its process ends: in Lambda as soon as the other jobs of its delivery batch are done, outside it before the lease does.
   * @default Duration.seconds(1)
   */
  readonly abortGrace?: Duration;
  /**
   * Time kept before Lambda's kill to record outcomes.
   * @default Duration.seconds(3)
   */
  readonly recordReserve?: Duration;
  /**
   * A job that is received with less time left than this is returned to its queue. One with a longer timeout needs that, or about as much as a whole invocation has.
   * @default Duration.seconds(2)
   */
  readonly minimumRun?: Duration;
  /**
   * A run that calls yieldIfNeeded() with less time left than this, or than a tenth of its time if that is shorter, continues in a new run.
   * @default Duration.seconds(10)
   */
  readonly yieldReserve?: Duration;
  /**
   * Lease of a job that `runWorker` runs outside Lambda. It is renewed after each third of its time; a crash is noticed after it has ended.
   * @default Duration.minutes(1)
   */
  readonly workerLease?: Duration;
  /**
   * How often a handler that runs is checked for a cancel request.
   * @default Duration.seconds(5)
   */
  readonly cancelPoll?: Duration;
  /**
   * Receives after which SQS moves a message to the dead-letter queue of its worker.
   * @default 100
   */
  readonly maxReceiveCount?: number;
  /**
   * How often the acquirer looks for due timers. Horizon must be at least twice this plus a minute.
   * @default Duration.minutes(1)
   */
  readonly acquirerInterval?: Duration;
  /**
   * Timeout of the acquirer function.
   * @default Duration.minutes(1)
   */
  readonly acquirerTimeout?: Duration;
  /**
   * Memory of the acquirer function.
   * @default Size.mebibytes(512)
   */
  readonly acquirerMemory?: Size;
  /**
   * Acquirers that share the 64 shards.
   * @default 1
   */
  readonly acquirers?: number;
  /**
   * How far ahead timers are fired, with a delayed hint: at least twice acquirerInterval plus a minute, at most delayHorizon minus 6 minutes.
   * @default Duration.minutes(5)
   */
  readonly horizon?: Duration;
  /**
   * Timers read from a shard at a time, at most.
   * @default 200
   */
  readonly timerPageSize?: number;
  /**
   * Transactions of a shard that move timers at the same time, at most.
   * @default 4
   */
  readonly parallelTransactions?: number;
  /**
   * Shards that an acquirer reads at the same time, at most.
   * @default 16
   */
  readonly parallelShards?: number;
  /**
   * How often the sweeper starts.
   * @default Duration.minutes(1)
   */
  readonly sweeperInterval?: Duration;
  /**
   * Timeout of the sweeper function.
   * @default Duration.minutes(1)
   */
  readonly sweeperTimeout?: Duration;
  /**
   * Memory of the sweeper function.
   * @default Size.mebibytes(512)
   */
  readonly sweeperMemory?: Size;
  /**
   * Parallel scan segments of Jobs.
   * @default 4
   */
  readonly sweepSegments?: number;
  /**
   * Rows read per page of the scan, at most.
   * @default 500
   */
  readonly sweepPageSize?: number;
  /**
   * Read units of the scan of a run, divided among `sweepSegments`. A segment stops after the page that uses up its share; the next run continues there.
   * @default 2500
   */
  readonly sweepReadUnits?: number;
  /**
   * Rows reset or buried at the same time, divided among `sweepSegments`; at least one for each of them.
   * @default 16
   */
  readonly sweepParallelWrites?: number;
  /**
   * How long after its end a lease counts as expired for the sweeper, to allow for another clock.
   * @default Duration.seconds(2)
   */
  readonly sweepSkew?: Duration;
  /**
   * How long after the end of its lease any message in its queue may explain why a job waits, so that its hint is not sent again. After that, messages of newer jobs explain nothing; after 24 times as long, none does.
   * @default Duration.hours(1)
   */
  readonly backlogPatience?: Duration;
  /**
   * After how many days the sweeper removes dead letters; 0 means never. Operators set another time for a type or for all at run time. Those of an error group with a note or an owner stay.
   * @default 0
   */
  readonly deadLetterDays?: number;
  /**
   * Delay before a job is first tried again whose type, payload version or codec is unknown; doubles each time, up to noHandlerMaxRetry. It is tried sooner when a worker reports that it knows it.
   * @default Duration.minutes(1)
   */
  readonly noHandlerFirstRetry?: Duration;
  /**
   * Longest delay before a job of an unknown type, payload version or codec is tried again.
   * @default Duration.hours(1)
   */
  readonly noHandlerMaxRetry?: Duration;
  /**
   * How many suspended jobs one run of the sweeper resumes at most.
   * @default 1000
   */
  readonly resumesPerRun?: number;
}
