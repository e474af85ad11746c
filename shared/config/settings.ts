import { knownNames } from '../job/closest-name.ts';
import { InvalidConfigurationError, shown } from '../job/errors.ts';
import { checkLeaseSettings, visibilityTimeoutMs } from '../job/lease.ts';

/** One constant that a deployment may change. Its meaning is in `settings-docs.ts`, which no bundle contains. */
export interface Setting {
  readonly of: 'executor' | 'acquirer' | 'sweeper' | 'shared';
  readonly unit: 'ms' | 'count' | 'MB' | 'days' | 'read units';
  readonly default: number;
  readonly min: number;
  readonly max: number;
}

const minutes = (n: number): number => n * 60_000;

/** Every setting with its range and default. Durations are milliseconds here and `Duration` in the construct. */
// oxfmt-ignore
export const SETTINGS = {
  delayHorizonMs: { of: 'shared', unit: 'ms', default: minutes(15), min: 1_000, max: minutes(15) },
  leaseMarginMs: { of: 'shared', unit: 'ms', default: 10_000, min: 4_000, max: minutes(5) },
  redispatchAfterMs: { of: 'shared', unit: 'ms', default: minutes(2), min: 1_000, max: minutes(60) },
  firstRedispatchAfterMs: { of: 'shared', unit: 'ms', default: minutes(6), min: 1_000, max: minutes(60) },
  crashLimit: { of: 'shared', unit: 'count', default: 3, min: 1, max: 100 },
  chainLimit: { of: 'shared', unit: 'count', default: 10_000, min: 1, max: 1_000_000 },
  historyDays: { of: 'shared', unit: 'days', default: 3, min: 1, max: 365 },
  statistics: { of: 'shared', unit: 'count', default: 1, min: 0, max: 3 },
  batchWrites: { of: 'shared', unit: 'count', default: 1, min: 0, max: 1 },
  executorTimeoutMs: { of: 'executor', unit: 'ms', default: minutes(5), min: 10_000, max: minutes(15) },
  executorMemoryMb: { of: 'executor', unit: 'MB', default: 512, min: 128, max: 10_240 },
  batchSize: { of: 'executor', unit: 'count', default: 10, min: 1, max: 10_000 },
  batchWindowMs: { of: 'executor', unit: 'ms', default: 0, min: 0, max: minutes(5) },
  batchConcurrency: { of: 'executor', unit: 'count', default: 0, min: 0, max: 250 },
  maxConcurrency: { of: 'executor', unit: 'count', default: 50, min: 0, max: 1_000 },
  provisionedConcurrency: { of: 'executor', unit: 'count', default: 0, min: 0, max: 1_000 },
  abortGraceMs: { of: 'executor', unit: 'ms', default: 1_000, min: 100, max: 60_000 },
  recordReserveMs: { of: 'executor', unit: 'ms', default: 3_000, min: 1_000, max: 60_000 },
  minimumRunMs: { of: 'executor', unit: 'ms', default: 2_000, min: 100, max: minutes(14) },
  yieldReserveMs: { of: 'executor', unit: 'ms', default: 10_000, min: 100, max: minutes(5) },
  workerLeaseMs: { of: 'executor', unit: 'ms', default: minutes(1), min: 15_000, max: minutes(15) },
  cancelPollMs: { of: 'executor', unit: 'ms', default: 5_000, min: 1_000, max: minutes(1) },
  maxReceiveCount: { of: 'executor', unit: 'count', default: 100, min: 5, max: 1_000 },
  acquirerIntervalMs: { of: 'acquirer', unit: 'ms', default: minutes(1), min: minutes(1), max: minutes(4) },
  acquirerTimeoutMs: { of: 'acquirer', unit: 'ms', default: minutes(1), min: 10_000, max: minutes(15) },
  acquirerMemoryMb: { of: 'acquirer', unit: 'MB', default: 512, min: 128, max: 10_240 },
  acquirers: { of: 'acquirer', unit: 'count', default: 1, min: 1, max: 64 },
  horizonMs: { of: 'acquirer', unit: 'ms', default: minutes(5), min: 1_000, max: minutes(9) },
  timerPageSize: { of: 'acquirer', unit: 'count', default: 200, min: 1, max: 1_000 },
  parallelTransactions: { of: 'acquirer', unit: 'count', default: 4, min: 1, max: 64 },
  parallelShards: { of: 'acquirer', unit: 'count', default: 16, min: 1, max: 64 },
  sweeperIntervalMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: minutes(1), max: minutes(60) },
  sweeperTimeoutMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: 10_000, max: minutes(15) },
  sweeperMemoryMb: { of: 'sweeper', unit: 'MB', default: 512, min: 128, max: 10_240 },
  sweepSegments: { of: 'sweeper', unit: 'count', default: 4, min: 1, max: 64 },
  sweepPageSize: { of: 'sweeper', unit: 'count', default: 500, min: 1, max: 10_000 },
  sweepReadUnits: { of: 'sweeper', unit: 'read units', default: 2_500, min: 10, max: 1_000_000 },
  sweepParallelWrites: { of: 'sweeper', unit: 'count', default: 16, min: 1, max: 256 },
  sweepSkewMs: { of: 'sweeper', unit: 'ms', default: 2_000, min: 0, max: minutes(1) },
  backlogPatienceMs: { of: 'sweeper', unit: 'ms', default: minutes(60), min: minutes(1), max: minutes(60) },
  deadLetterDays: { of: 'sweeper', unit: 'days', default: 0, min: 0, max: 3_650 },
  noHandlerFirstRetryMs: { of: 'sweeper', unit: 'ms', default: minutes(1), min: 1_000, max: minutes(60) },
  noHandlerMaxRetryMs: { of: 'sweeper', unit: 'ms', default: minutes(60), min: 1_000, max: minutes(24 * 60) },
  resumesPerRun: { of: 'sweeper', unit: 'count', default: 1_000, min: 1, max: 100_000 },
} as const satisfies Readonly<Record<string, Setting>>;

/** Name of a setting. */
export type SettingName = keyof typeof SETTINGS;

/** All settings, resolved; durations in milliseconds. */
export type Settings = Readonly<Record<SettingName, number>>;

/** Names among `settings` that this version does not have: those of a newer release, which a roll-back or an old client may meet. */
export function unknownSettings(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(settings).filter((name) => !Object.hasOwn(SETTINGS, name));
}

/** Defaults with overrides; throws InvalidConfigurationError for an unknown name, a value outside its range, or a relation that breaks a promise. */
export function resolveSettings(overrides: Readonly<Record<string, number | undefined>> = {}): Settings {
  for (const [name, value] of Object.entries(overrides)) {
    const setting = Object.hasOwn(SETTINGS, name) ? SETTINGS[name as SettingName] : undefined;
    if (setting === undefined) {
      throw new InvalidConfigurationError(`${name} is not a setting. ${knownNames(name, Object.keys(SETTINGS))}`);
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

/** SQS event sources take no less. */
const MIN_CONCURRENCY = 2;

function checkRelations(settings: Settings): void {
  if (settings.maxConcurrency > 0 && settings.maxConcurrency < MIN_CONCURRENCY) {
    throw new InvalidConfigurationError(
      `maxConcurrency: ${settings.maxConcurrency} is less than an event source allows. Use ${MIN_CONCURRENCY} or more, or 0 for no limit; for one job at a time use defineLimit({ concurrency: 1 }).`,
    );
  }
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
      `minimumRun: ${settings.minimumRunMs} ms with recordReserve and abortGrace (${reserved} ms) are not less than the function timeout of ${functionTimeoutMs} ms: every job would be given back forever.`,
    );
  }
  if (reserved >= functionTimeoutMs / 2) {
    throw new InvalidConfigurationError(
      `recordReserve: ${reserved} ms with abortGrace leave less than half of the function timeout of ${functionTimeoutMs} ms to run jobs.`,
    );
  }
}
