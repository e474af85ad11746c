import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Settings } from '../shared/config/settings.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../shared/ports/table-spec.ts';
import { ALL_WORKERS } from '../shared/job/worker-names.ts';
import { type MetricName } from '../shared/adapters/observability/names.ts';
import { type AlarmTerms, createAlarm, type Watch } from './alarm.ts';
import type { AlarmName } from './alarm-specs.ts';
import { deploymentMetric } from './metrics.ts';
import type { WorkerQueues } from './queues.ts';
import type { Tables } from './tables.ts';

/** How late jobs and timers may be before an alarm. */
export interface AlarmThresholds {
  readonly oldestReadyAge: Duration;
  readonly timerLag: Duration;
}

/** The resources that the alarms watch. */
export interface AlarmsOptions {
  readonly deployment: string;
  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues; readonly fn?: IFunction }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
  readonly failedTicks: IQueue;
  readonly settings: Settings;
  /** False if the functions publish no metrics: then only AWS's own metrics are watched. */
  readonly ownMetrics: boolean;
  readonly thresholds: AlarmThresholds;
  readonly terms: AlarmTerms;
}

interface Heartbeat {
  readonly ownMetric: 'AcquirerHeartbeat' | 'SweeperHeartbeat';
  readonly intervalMs: number;
  /** Completed runs per interval. */
  readonly each: number;
}

/** Heartbeats may miss two ticks before the alarm: one may be lost, one may be late. */
const HEARTBEAT_PERIODS = 3;
const FIVE_MINUTES = Duration.minutes(5);
const MINUTE_MS = 60_000;
/** A third of the 120,000 messages that SQS searches for another group. */
const MAX_GROUPED = 40_000;

/** The alarms of a deployment. Alarms about a worker exist once per worker. */
export class Alarms extends Construct {
  readonly all: readonly Alarm[];
  readonly #made: Alarm[] = [];
  readonly #options: AlarmsOptions;

  constructor(scope: Construct, id: string, options: AlarmsOptions) {
    super(scope, id);
    this.#options = options;
    for (const [worker, { queues, fn }] of options.workers) {
      if (options.ownMetrics) this.#ownOfWorker(worker);
      this.#lanes(worker, queues);
      if (queues.fifo !== undefined) this.#watch('group-backlog', worker, { metric: visible(queues.fifo), threshold: MAX_GROUPED });
      this.#watch('unreadable-messages', worker, { metric: sum(queues.deadLetterQueues.map(visible)), threshold: 1 });
      if (fn === undefined) continue;
      this.#watch('function-throttles', worker, { metric: fn.metricThrottles({ period: FIVE_MINUTES }), threshold: 1, periods: 3 });
    }
    if (options.ownMetrics) this.#ownOfDeployment();
    this.#heartbeats();
    this.#ticks();
    this.#watch('table-throttles', '', { metric: sum(throttles(options.tables)), threshold: 1, periods: 3 });
    this.all = this.#made;
  }

  /**
   * One lane must not be hidden by another: if there are several, each has its own alarm. A message may wait for the delay
   * horizon before its job is due, and that is no wait.
   */
  #lanes(worker: string, { lanes }: WorkerQueues): void {
    const { thresholds, settings } = this.#options;
    const queues = Object.entries(lanes);
    if (queues.length < 2) return;
    for (const [lane, queue] of queues) {
      const metric = queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
      const threshold = (settings.delayHorizonMs + thresholds.oldestReadyAge.toMilliseconds()) / 1_000;
      // Worker `a` with lane `b-c` reads as worker `a-b` with lane `c`. No name has a dot.
      const taken = this.node.tryFindChild(`lane-age-${worker}-${lane}`) !== undefined;
      this.#watch('lane-age', `${worker}${taken ? '.' : '-'}${lane}`, { metric, threshold, periods: 2 });
    }
  }

  #ownOfWorker(worker: string): void {
    const metric = (name: MetricName) => deploymentMetric(this.#options.deployment, name, { worker, period: FIVE_MINUTES });
    this.#watch('dead-letters', worker, { metric: metric('JobsDeadLettered'), threshold: 1 });
    this.#watch('crash-loops', worker, { metric: metric('CrashLoops'), threshold: 1 });
    this.#watch('chain-depth', worker, { metric: metric('ChainLimits'), threshold: 1 });
    this.#watch('jobs-without-handler', worker, { metric: metric('JobsWithoutHandler'), threshold: 1 });
    this.#failures(worker, FIVE_MINUTES.toMilliseconds());
  }

  /** Acquirer and sweeper are not workers: their counts have the dimension value `all`, an executor's only its worker. */
  #failures(worker: string, periodMs: number): void {
    const metric = (name: MetricName, ms: number) =>
      deploymentMetric(this.#options.deployment, name, { worker, period: Duration.millis(ms) });
    const id = worker === ALL_WORKERS ? '' : worker;
    // One failure is the trouble of a moment, and the next run or delivery fixes it.
    this.#watch('store-failures', id, { metric: metric('StoreFailures', periodMs), threshold: 1, periods: periodsIn(15, periodMs) });
    this.#watch('quarantined-rows', id, { metric: metric('Quarantined', FIVE_MINUTES.toMilliseconds()), threshold: 1 });
  }

  #ownOfDeployment(): void {
    const { deployment, thresholds, settings } = this.#options;
    const { acquirerIntervalMs, sweeperIntervalMs } = settings;
    this.#watch('oldest-ready-age', '', {
      metric: deploymentMetric(deployment, 'OldestReadyAge', { period: Duration.millis(sweeperIntervalMs) }),
      threshold: thresholds.oldestReadyAge.toMilliseconds(),
      periods: periodsIn(5, sweeperIntervalMs),
    });
    this.#watch('timer-lag', '', {
      metric: deploymentMetric(deployment, 'TimerLag', {
        worker: ALL_WORKERS,
        statistic: Stats.MAXIMUM,
        period: Duration.millis(acquirerIntervalMs),
      }),
      threshold: thresholds.timerLag.toMilliseconds(),
      periods: periodsIn(3, acquirerIntervalMs),
    });
    this.#failures(ALL_WORKERS, Math.max(FIVE_MINUTES.toMilliseconds(), acquirerIntervalMs, sweeperIntervalMs));
  }

  #heartbeats(): void {
    const { acquirer, sweeper, settings } = this.#options;
    const { acquirers, acquirerIntervalMs, sweeperIntervalMs } = settings;
    // Each acquirer has shards of its own: one that is missing leaves its timers lying.
    this.#heartbeat('acquirer-heartbeat', acquirer, { ownMetric: 'AcquirerHeartbeat', intervalMs: acquirerIntervalMs, each: acquirers });
    this.#heartbeat('sweeper-heartbeat', sweeper, { ownMetric: 'SweeperHeartbeat', intervalMs: sweeperIntervalMs, each: 1 });
  }

  /** While heartbeats still arrive: a tick may fail now and then, and the next one does its work. What was sent counts, because messages stay for two weeks. */
  #ticks(): void {
    const { acquirer, sweeper, failedTicks, settings } = this.#options;
    const periodMs = Math.max(FIVE_MINUTES.toMilliseconds(), settings.acquirerIntervalMs, settings.sweeperIntervalMs);
    const period = Duration.millis(periodMs);
    const periods = periodsIn(15, periodMs);
    const failed = failedTicks.metricNumberOfMessagesSent({ statistic: Stats.SUM, period });
    this.#watch('failed-ticks', '', { metric: failed, threshold: 1, periods });
    const throttled = [acquirer, sweeper].map((fn) => fn.metricThrottles({ period }));
    this.#watch('tick-throttles', '', { metric: sum(throttled, period), threshold: 1, periods });
  }

  #heartbeat(name: AlarmName, fn: IFunction, { ownMetric, intervalMs, each }: Heartbeat): void {
    const { deployment, ownMetrics } = this.#options;
    const period = Duration.millis(intervalMs);
    const finished = ownMetrics
      ? deploymentMetric(deployment, ownMetric, { statistic: Stats.SAMPLE_COUNT, period })
      : new MathExpression({
          expression: 'started - failed',
          usingMetrics: { started: fn.metricInvocations({ period }), failed: fn.metricErrors({ period }) },
          period,
        });
    this.#watch(name, '', { metric: finished, threshold: each, below: true, missingIsBad: true, periods: HEARTBEAT_PERIODS });
  }

  #watch(name: AlarmName, of: string, watch: Omit<Watch, 'name' | 'of'>): void {
    this.#made.push(createAlarm(this, { name, of, ...watch }, this.#options.terms));
  }
}

/** In how many periods a trouble must show to have lasted that many minutes: in one where a period is longer. */
function periodsIn(minutes: number, periodMs: number): number {
  return Math.ceil((minutes * MINUTE_MS) / periodMs);
}

function visible(queue: WorkerQueues['deadLetterQueue']): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
}

/** Writes of tables and indexes, and the reads of the one table that is scanned: ten metrics, which is as many as an alarm takes. */
function throttles(tables: Tables): readonly IMetric[] {
  const metric = (metricName: string, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: Stats.SUM, period: FIVE_MINUTES });
  const writes = TABLE_NAMES.flatMap((name) => {
    const TableName = tables[name].tableName;
    const indexes = Object.keys(TABLE_SPECS[name].indexes).map((GlobalSecondaryIndexName) => ({ TableName, GlobalSecondaryIndexName }));
    return [{ TableName }, ...indexes].map((dimensions) => metric('WriteThrottleEvents', dimensions));
  });
  return [...writes, metric('ReadThrottleEvents', { TableName: tables.jobs.tableName })];
}

function sum(metrics: readonly IMetric[], period = FIVE_MINUTES): IMetric {
  const [only] = metrics;
  if (metrics.length === 1 && only !== undefined) return only;
  const names = metrics.map((_, index) => `m${index}`);
  return new MathExpression({
    expression: `SUM([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period,
  });
}
