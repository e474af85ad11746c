import { InvalidConfigurationError, shown } from '../core/errors.ts';
import { checkLeaseSettings, visibilityTimeoutMs } from '../core/lease.ts';

/** One constant that a deployment may change. `docs/reference/settings.md` is generated from these. */
export interface Setting {
  readonly of: 'executor' | 'acquirer' | 'sweeper' | 'shared';
  readonly unit: 'ms' | 'count' | 'MB' | 'days' | 'read units';
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly doc: string;
}

const minutes = (n: number): number => n * 60_000;

/** Every setting with its range and default. Durations are milliseconds here and `Duration` in the construct. */
// oxfmt-ignore
export const SETTINGS = {
  delayHorizonMs: { of: 'shared', unit: 'ms', default: minutes(15), min: 1_000, max: minutes(15), doc: 'A job due within this time waits in its queue with a delayed hint; a later one waits in Timers. At least horizon plus 6 minutes, so that no timer fires while its producer may still be writing it.' },
  leaseMarginMs: { of: 'shared', unit: 'ms', default: 10_000, min: 4_000, max: minutes(5), doc: "How long a lease outlasts its executor's hard deadline; at least twice the clock skew." },
  redispatchAfterMs: { of: 'shared', unit: 'ms', default: minutes(2), min: 1_000, max: minutes(60), doc: 'How long a dispatched job may wait before the sweeper sends its hint again; doubles per resend, up to an hour.' },
  firstRedispatchAfterMs: { of: 'shared', unit: 'ms', default: minutes(6), min: 1_000, max: minutes(60), doc: 'As redispatchAfter, for a newly enqueued job: the write window of a producer plus the lifetime of a request signature. Below 6 minutes a frozen producer could put back a finished job.' },
  crashLimit: { of: 'shared', unit: 'count', default: 3, min: 1, max: 100, doc: 'Crashes of a job that ran alone before it becomes a dead letter (crash-loop).' },
  chainLimit: { of: 'shared', unit: 'count', default: 10_000, min: 1, max: 1_000_000, doc: 'Longest chain of jobs that enqueue jobs.' },
  historyDays: { of: 'shared', unit: 'days', default: 3, min: 1, max: 365, doc: 'How long finished jobs are kept in History.' },
  statistics: { of: 'shared', unit: 'count', default: 1, min: 0, max: 1, doc: 'Whether functions write statistics per minute, for the console: at most one write in ten seconds for each sandbox that has something to report. 0 means no.' },
  executorTimeoutMs: { of: 'executor', unit: 'ms', default: minutes(5), min: 10_000, max: minutes(15), doc: 'Timeout of the executor function: the upper bound of one attempt.' },
  executorMemoryMb: { of: 'executor', unit: 'MB', default: 512, min: 128, max: 10_240, doc: 'Memory of the executor function.' },
  batchSize: { of: 'executor', unit: 'count', default: 10, min: 1, max: 10_000, doc: 'Messages per invocation. Above 10 it needs a batch window of 1 s or more; FIFO queues take at most 10.' },
  batchWindowMs: { of: 'executor', unit: 'ms', default: 0, min: 0, max: minutes(5), doc: 'How long the event source gathers messages of a standard queue.' },
  batchConcurrency: { of: 'executor', unit: 'count', default: 0, min: 0, max: 10_000, doc: 'Jobs of a delivery batch that run at the same time; 0 means the batch size, 1 means one by one.' },
  maxConcurrency: { of: 'executor', unit: 'count', default: 50, min: 2, max: 1_000, doc: 'Executors of a queue that the event source runs at the same time.' },
  provisionedConcurrency: { of: 'executor', unit: 'count', default: 0, min: 0, max: 1_000, doc: 'Sandboxes to keep warm; 0 means none. They cost money around the clock.' },
  abortGraceMs: { of: 'executor', unit: 'ms', default: 1_000, min: 100, max: 60_000, doc: 'How long an aborted handler may take to finish before its sandbox is ended.' },
  recordReserveMs: { of: 'executor', unit: 'ms', default: 3_000, min: 1_000, max: 60_000, doc: "Time kept before Lambda's kill to record outcomes." },
  minimumRunMs: { of: 'executor', unit: 'ms', default: 2_000, min: 100, max: minutes(14), doc: 'A job that would have less time than this (or than its own timeout, if shorter) is returned to its queue instead of started.' },
  yieldReserveMs: { of: 'executor', unit: 'ms', default: 10_000, min: 100, max: minutes(5), doc: 'A run that calls yieldIfNeeded() with less time left than this, or than a tenth of its time if that is shorter, continues in a new run.' },
  workerLeaseMs: { of: 'executor', unit: 'ms', default: minutes(1), min: 15_000, max: minutes(15), doc: 'Lease of a job that runs outside Lambda. Its worker renews the lease three times per lease; a crash is noticed when the lease ends.' },
  cancelPollMs: { of: 'executor', unit: 'ms', default: 5_000, min: 1_000, max: minutes(1), doc: 'How often a running job is checked for a cancel request.' },
  maxReceiveCount: { of: 'executor', unit: 'count', default: 100, min: 5, max: 1_000, doc: "SQS's own limit of receives. It is high, because SQS must not decide when a job ends." },
  acquirerIntervalMs: { of: 'acquirer', unit: 'ms', default: minutes(1), min: minutes(1), max: minutes(4), doc: 'How often the acquirer looks for due timers. Horizon must be at least twice this plus a minute.' },
  acquirerTimeoutMs: { of: 'acquirer', unit: 'ms', default: minutes(1), min: 10_000, max: minutes(15), doc: 'Timeout of the acquirer function.' },
  acquirerMemoryMb: { of: 'acquirer', unit: 'MB', default: 512, min: 128, max: 10_240, doc: 'Memory of the acquirer function.' },
  acquirers: { of: 'acquirer', unit: 'count', default: 1, min: 1, max: 64, doc: 'Acquirers that share the 64 shards.' },
  horizonMs: { of: 'acquirer', unit: 'ms', default: minutes(5), min: 1_000, max: minutes(9), doc: 'How far ahead timers are fired, with a delayed hint. Covers a late and a missed tick: at least twice acquirerInterval plus a minute, at most delayHorizon minus 6 minutes.' },
  timerPageSize: { of: 'acquirer', unit: 'count', default: 200, min: 1, max: 1_000, doc: 'Timers read from a shard at a time.' },
  parallelTransactions: { of: 'acquirer', unit: 'count', default: 4, min: 1, max: 64, doc: "Transactions that move timers at the same time (Flowable's move-timer pool)." },
  parallelShards: { of: 'acquirer', unit: 'count', default: 16, min: 1, max: 64, doc: 'Shards read at the same time.' },
  sweeperIntervalMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: minutes(1), max: minutes(60), doc: 'How often the sweeper looks for expired leases.' },
  sweeperTimeoutMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: 10_000, max: minutes(15), doc: 'Timeout of the sweeper function.' },
  sweeperMemoryMb: { of: 'sweeper', unit: 'MB', default: 512, min: 128, max: 10_240, doc: 'Memory of the sweeper function.' },
  sweepSegments: { of: 'sweeper', unit: 'count', default: 4, min: 1, max: 64, doc: 'Parallel scan segments of Jobs.' },
  sweepPageSize: { of: 'sweeper', unit: 'count', default: 500, min: 1, max: 10_000, doc: 'Rows read per page of the scan.' },
  sweepReadUnits: { of: 'sweeper', unit: 'read units', default: 2_500, min: 10, max: 1_000_000, doc: 'Read units that one run may use; the next run continues at the cursor.' },
  sweepParallelWrites: { of: 'sweeper', unit: 'count', default: 16, min: 1, max: 256, doc: 'Rows reset or buried at the same time.' },
  sweepSkewMs: { of: 'sweeper', unit: 'ms', default: 2_000, min: 0, max: minutes(1), doc: "How long after its end a lease counts as expired, to allow for another clock." },
  backlogPatienceMs: { of: 'sweeper', unit: 'ms', default: minutes(60), min: minutes(1), max: minutes(60), doc: 'How long the backlog of a queue may explain a wait before the hint is sent again anyway.' },
  noHandlerFirstRetryMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: 1_000, max: minutes(60), doc: 'Delay before a job of an unknown type is first tried again; doubles each time.' },
  noHandlerMaxRetryMs: { of: 'sweeper', unit: 'ms', default: minutes(60), min: 1_000, max: minutes(24 * 60), doc: 'Longest time between two tries of a job of an unknown type.' },
  activationsPerRun: { of: 'sweeper', unit: 'count', default: 1_000, min: 1, max: 100_000, doc: 'How many suspended jobs one run of the sweeper releases.' },
} as const satisfies Readonly<Record<string, Setting>>;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** All settings, resolved; durations in milliseconds. */
export type Settings = Readonly<Record<SettingName, number>>;

/** Defaults with overrides; throws InvalidConfigurationError for an unknown name, a value outside its range, or a relation that breaks a promise. */
export function resolveSettings(overrides: Readonly<Record<string, number | undefined>> = {}): Settings {
  for (const [name, value] of Object.entries(overrides)) {
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
    if (setting === undefined) {
      throw new InvalidConfigurationError(`${name} is not a setting. Known are: ${Object.keys(SETTINGS).join(', ')}.`);
    }
    if (value !== undefined && !(Number.isInteger(value) && value >= setting.min && value <= setting.max)) {
      throw new InvalidConfigurationError(
        `${name}: ${shown(value)} is outside its range. Use a whole number from ${setting.min} to ${setting.max} (${setting.unit}).`,
      );
    }
  }
  const settings = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [name, overrides[name] ?? setting.default]),
  ) as unknown as Settings;
  checkRelations(settings);
  return settings;
}

function checkRelations(settings: Settings): void {
  const { executorTimeoutMs: functionTimeoutMs, leaseMarginMs } = settings;
  for (const queue of ['standard', 'fifo'] as const) {
    checkLeaseSettings({ leaseMarginMs, functionTimeoutMs, visibilityMs: visibilityTimeoutMs(queue, functionTimeoutMs, leaseMarginMs) });
  }
  if (settings.batchSize > 10 && settings.batchWindowMs < 1_000) {
    throw new InvalidConfigurationError(
      `batchWindow: ${settings.batchWindowMs} ms must be 1000 ms or more when batchSize is above 10 (it is ${settings.batchSize}).`,
    );
  }
  const reserved = settings.recordReserveMs + settings.abortGraceMs;
  if (reserved + settings.minimumRunMs >= functionTimeoutMs) {
    throw new InvalidConfigurationError(
      `minimumRun: ${settings.minimumRunMs} ms with recordReserve and abortGrace (${reserved} ms) are not less than the function timeout of ${functionTimeoutMs} ms: every job would be given back for ever.`,
    );
  }
  if (reserved >= functionTimeoutMs / 2) {
    throw new InvalidConfigurationError(
      `recordReserve: ${reserved} ms with abortGrace leave less than half of the function timeout of ${functionTimeoutMs} ms to run jobs.`,
    );
  }
}
