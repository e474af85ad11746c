import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { ENVIRONMENT, type MetricsMode } from '../../config/environment.ts';
import { systemEnvironment } from '../system.ts';
import type { Gauge, Journal, JournalEntry, JournalEvent } from '../../ports/journal.ts';
import type { Tracing } from '../../ports/tracing.ts';
import { entryFields, traceFields } from './log-fields.ts';
import { type MetricSet, MetricSums } from './metric-sums.ts';
import { DIMENSIONS, LOCAL_DEPLOYMENT, NAMESPACE } from './names.ts';

/** How a function journals. */
export interface JournalOptions {
  readonly metrics: MetricsMode;
  /** Name of the function in its log lines, such as `executor`. */
  readonly service: string;
  /** For entries that name no worker themselves; without it they count for all workers. */
  readonly worker?: string;
  /** Names the current span in each line. */
  readonly tracing?: Pick<Tracing, 'current'>;
  /** Default: the name that the deployment gives its functions. */
  readonly deployment?: string;
}

type Level = 'debug' | 'warn' | 'error';

/** Everything else is logged at the debug level: a line per job would cost more than its queue requests. */
const LEVELS: ReadonlyMap<JournalEvent, Level> = new Map<JournalEvent, Level>([
  ['dead-lettered', 'error'],
  ['crashed', 'error'],
  ['failed', 'warn'],
  ['retried', 'warn'],
  ['lost-lease', 'warn'],
  ['quarantined', 'warn'],
  ['send-failed', 'warn'],
  ['store-failed', 'warn'],
  ['history-lost', 'warn'],
  ['unreadable-message', 'warn'],
  ['sandbox-ended', 'warn'],
  ['hook-failed', 'warn'],
  ['events-lost', 'warn'],
  ['unknown-settings', 'warn'],
  ['unknown-rules', 'warn'],
  ['batches-refused', 'warn'],
  ['ignored-while-off', 'warn'],
]);

/** EMF takes at most 100 values of a metric in one line; the library writes the line out, without dimensions for what follows, at 100. */
const VALUES_PER_LINE = 99;

/**
 * Logs through Powertools and counts in memory until `flush`, which writes one EMF line per combination of dimensions.
 * What goes wrong in it is counted and logged at the next flush, never thrown.
 */
export function createPowertoolsJournal(options: JournalOptions): Journal {
  const logger = new Logger({ serviceName: options.service });
  const deployment = options.deployment ?? systemEnvironment()[ENVIRONMENT.deployment] ?? LOCAL_DEPLOYMENT;
  const metrics = new Metrics({ namespace: NAMESPACE });
  // The library's own dimension `service` would part the counts of executor and sweeper, which alarms add up.
  metrics.clearDefaultDimensions();
  const sums = new MetricSums(options.metrics, options.worker);
  const sampled = systemEnvironment()['POWERTOOLS_LOGGER_SAMPLE_RATE'] !== undefined;
  // The logger has drawn for the first invocation, and takes the first refresh for that draw.
  if (sampled) logger.refreshSampleRateCalculation();
  let debugging = debugs(logger);
  let lost = 0;
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch {
      lost += 1;
    }
  };
  return {
    record: (entry: JournalEntry) =>
      quietly(() => {
        log(logger, entry, { debugging, tracing: options.tracing });
        if (options.metrics !== 'off') sums.add(entry);
      }),
    gauge: (gauge: Gauge) => quietly(() => (options.metrics === 'off' ? undefined : sums.gauge(gauge))),
    flush: () => {
      for (const set of sums.take()) quietly(() => publish(metrics, deployment, set));
      if (lost > 0) quietly(() => logger.warn('journal entries lost', { count: lost }));
      lost = 0;
      if (sampled) quietly(() => logger.refreshSampleRateCalculation());
      debugging = debugs(logger);
    },
  };
}

const debugs = (logger: Logger): boolean => logger.getLevelName() === 'DEBUG' || logger.getLevelName() === 'TRACE';

interface LineOptions {
  readonly debugging: boolean;
  readonly tracing: JournalOptions['tracing'];
}

function log(logger: Logger, entry: JournalEntry, { debugging, tracing }: LineOptions): void {
  const level = LEVELS.get(entry.event) ?? 'debug';
  if (level === 'debug' && !debugging) return;
  logger[level](entry.event, { ...entryFields(entry, debugging), ...traceFields(tracing?.current(), entry.job) });
}

function publish(metrics: Metrics, deployment: string, { worker, type, metrics: measured }: MetricSet): void {
  const lines = Math.max(...measured.map(({ values }) => Math.ceil(values.length / VALUES_PER_LINE)));
  for (let line = 0; line < lines; line += 1) {
    metrics.addDimension(DIMENSIONS.deployment, deployment).addDimension(DIMENSIONS.worker, worker);
    if (type !== undefined) metrics.addDimension(DIMENSIONS.type, type);
    for (const { name, unit, values } of measured) {
      for (const value of values.slice(line * VALUES_PER_LINE, (line + 1) * VALUES_PER_LINE)) metrics.addMetric(name, unit, value);
    }
    metrics.publishStoredMetrics();
  }
}
