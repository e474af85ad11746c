import type { Duration, Size } from 'aws-cdk-lib';

/**
 * Every constant of the executor, the acquirer and the sweeper; `docs/reference/settings.md` lists the ranges.
 * Generated from `shared/config/settings.ts` by `npm run docs`.
 */
export interface SettingsProps {
  /**
   * A job due within this time waits in its queue with a delayed hint; a later one lies in Timers. At least horizon and 6 minutes, so that no timer is fired while its producer may still be writing it.
   * @default Duration.minutes(15)
   */
  readonly delayHorizon?: Duration;
  /**
   * How long a lease outlasts its executor's hard deadline; at least twice the clock skew.
   * @default Duration.seconds(10)
   */
  readonly leaseMargin?: Duration;
  /**
   * How long a dispatched job may wait before the sweeper sends its hint again; doubles per resend, up to an hour.
   * @default Duration.minutes(2)
   */
  readonly redispatchAfter?: Duration;
  /**
   * The same for a job that was just enqueued: the write window of a producer plus the life of a request signature. Below 6 minutes a frozen producer could put back a finished job.
   * @default Duration.minutes(6)
   */
  readonly firstRedispatchAfter?: Duration;
  /**
   * Crashes of a job that ran alone before it becomes a dead letter (crash-loop).
   * @default 3
   */
  readonly crashLimit?: number;
  /**
   * Longest chain of jobs that enqueue jobs.
   * @default 10000
   */
  readonly chainLimit?: number;
  /**
   * How long finished jobs are kept in History.
   * @default 3
   */
  readonly historyDays?: number;
  /**
   * Whether functions sum up what they do, minute by minute, for the console: a write every ten seconds at most for each sandbox that has something to tell. 0 means no.
   * @default 1
   */
  readonly statistics?: number;
  /**
   * Timeout of the executor function: the upper bound of one attempt.
   * @default Duration.minutes(5)
   */
  readonly executorTimeout?: Duration;
  /**
   * Memory of the executor function.
   * @default Size.mebibytes(512)
   */
  readonly executorMemory?: Size;
  /**
   * Messages per invocation; above 10 a batch window of 1 s or more is needed, FIFO queues take at most 10.
   * @default 10
   */
  readonly batchSize?: number;
  /**
   * How long the event source gathers messages of a standard queue.
   * @default Duration.seconds(0)
   */
  readonly batchWindow?: Duration;
  /**
   * Jobs of a batch that run at the same time; 0 means the batch size, 1 means one by one.
   * @default 0
   */
  readonly batchConcurrency?: number;
  /**
   * Executors of a queue that the event source runs at the same time.
   * @default 50
   */
  readonly maxConcurrency?: number;
  /**
   * Sandboxes kept warm; 0 means none. They cost money around the clock.
   * @default 0
   */
  readonly provisionedConcurrency?: number;
  /**
   * What an aborted handler is given to settle before its sandbox is ended.
   * @default Duration.seconds(1)
   */
  readonly abortGrace?: Duration;
  /**
   * Time kept before Lambda's kill to record outcomes.
   * @default Duration.seconds(3)
   */
  readonly recordReserve?: Duration;
  /**
   * A job that would have less time than this (or its own timeout, if shorter) is given back instead of started.
   * @default Duration.seconds(2)
   */
  readonly minimumRun?: Duration;
  /**
   * A run that asks yieldIfNeeded() and has less than this left, or less than a tenth of its time, if that is shorter, goes on in a fresh one.
   * @default Duration.seconds(10)
   */
  readonly yieldReserve?: Duration;
  /**
   * Lease of a job that runs outside Lambda. Its worker renews it at every third of it, and a crash is noticed when it ends.
   * @default Duration.minutes(1)
   */
  readonly workerLease?: Duration;
  /**
   * How often a running job is looked at for a cancel request.
   * @default Duration.seconds(5)
   */
  readonly cancelPoll?: Duration;
  /**
   * SQS's own limit of receives; high, because SQS never decides a job's fate.
   * @default 100
   */
  readonly maxReceiveCount?: number;
  /**
   * How often due timers are looked for; horizon must be at least twice this and a minute.
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
   * How far ahead timers are fired, with a delayed hint; covers a late and a missed tick: at least twice acquirerInterval and a minute, at most delayHorizon less 6 minutes.
   * @default Duration.minutes(5)
   */
  readonly horizon?: Duration;
  /**
   * Timers read from a shard at a time.
   * @default 200
   */
  readonly timerPageSize?: number;
  /**
   * Transactions that move timers at the same time (Flowable's move-timer pool).
   * @default 4
   */
  readonly parallelTransactions?: number;
  /**
   * Shards looked at at the same time.
   * @default 16
   */
  readonly parallelShards?: number;
  /**
   * How often expired leases are looked for.
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
   * Rows looked at per page of the scan.
   * @default 500
   */
  readonly sweepPageSize?: number;
  /**
   * Read units one run may spend; the next run goes on at the cursor.
   * @default 2500
   */
  readonly sweepReadUnits?: number;
  /**
   * Rows reset or buried at the same time.
   * @default 16
   */
  readonly sweepParallelWrites?: number;
  /**
   * What the sweeper adds to a lease before it calls it expired: another clock's difference.
   * @default Duration.seconds(2)
   */
  readonly sweepSkew?: Duration;
  /**
   * How long the backlog of a queue may explain a wait before the hint is sent again all the same.
   * @default Duration.hours(1)
   */
  readonly backlogPatience?: Duration;
  /**
   * When a job of an unknown type is tried again first; doubles each time.
   * @default Duration.minutes(1)
   */
  readonly noHandlerFirstRetry?: Duration;
  /**
   * Longest time between two tries of a job of an unknown type.
   * @default Duration.hours(1)
   */
  readonly noHandlerMaxRetry?: Duration;
  /**
   * Suspended jobs that one run of the sweeper activates.
   * @default 1000
   */
  readonly activationsPerRun?: number;
}
