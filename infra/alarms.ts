import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Settings } from '../shared/config/settings.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../shared/ports/table-spec.ts';
import { ALL_WORKERS, type MetricName } from '../shared/adapters/observability/names.ts';
import { alarmDescription, type AlarmName } from './alarm-specs.ts';
import { deploymentMetric } from './metrics.ts';
import type { WorkerQueues } from './queues.ts';
import type { Tables } from './tables.ts';

/** What of the alarms a deployment chooses. */
export interface AlarmChoices {
  readonly actions: readonly IAlarmAction[];
  /** Where the articles of the runbook are to be read. */
  readonly runbook: string;
  readonly oldestReadyAge: Duration;
  readonly timerLag: Duration;
}

/** What the alarms watch. */
export interface AlarmsOptions {
  readonly deployment: string;
  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues; readonly fn?: IFunction }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
  readonly settings: Settings;
  /** False when the functions publish no metrics: then only what AWS itself measures is watched. */
  readonly ownMetrics: boolean;
  /** Heartbeats do not alarm while the deployment is switched off. */
  readonly active: boolean;
  readonly choices: AlarmChoices;
}

interface Watch {
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods?: number;
  readonly below?: true;
  /** Set for heartbeats: no data is the alarm. */
  readonly missingIsBad?: true;
}

interface Heartbeat {
  readonly ownMetric: 'AcquirerHeartbeat' | 'SweeperHeartbeat';
  readonly intervalMs: number;
  /** Runs that come to their end in each interval. */
  readonly each: number;
}

/** Heartbeats may miss two ticks before somebody is called: one may be lost, one may be late. */
const HEARTBEAT_PERIODS = 3;
const FIVE_MINUTES = Duration.minutes(5);
const MINUTE_MS = 60_000;
/** A third of the 120,000 messages among which SQS looks for another group. */
const MOST_GROUPED = 40_000;

/** The alarms of a deployment. What concerns a worker has one alarm per worker. */
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
      if (queues.fifo !== undefined) this.#watch('group-backlog', worker, { metric: visible(queues.fifo), threshold: MOST_GROUPED });
      this.#watch('unreadable-messages', worker, { metric: sum(queues.deadLetterQueues.map(visible)), threshold: 1 });
      if (fn === undefined) continue;
      this.#watch('function-throttles', worker, { metric: fn.metricThrottles({ period: FIVE_MINUTES }), threshold: 1, periods: 3 });
    }
    if (options.ownMetrics) this.#ownOfDeployment();
    this.#heartbeats();
    this.#watch('table-throttles', '', { metric: sum(throttles(options.tables)), threshold: 1, periods: 3 });
    this.all = this.#made;
  }

  /**
   * One lane must not hide behind another: where there are several, each is watched by itself. A message may lie for the delay
   * horizon before its job is due, and that is no wait.
   */
  #lanes(worker: string, { lanes }: WorkerQueues): void {
    const { choices, settings } = this.#options;
    const queues = Object.entries(lanes);
    if (queues.length < 2) return;
    for (const [lane, queue] of queues) {
      const metric = queue.metricApproximateAgeOfOldestMessage({ statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
      const threshold = (settings.delayHorizonMs + choices.oldestReadyAge.toMilliseconds()) / 1_000;
      this.#watch('lane-age', `${worker}-${lane}`, { metric, threshold, periods: 2 });
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

  /** Acquirer and sweeper are no worker: what they count stands under `all`, what an executor counts only under its worker. */
  #failures(worker: string, periodMs: number): void {
    const metric = (name: MetricName, ms: number) =>
      deploymentMetric(this.#options.deployment, name, { worker, period: Duration.millis(ms) });
    const id = worker === ALL_WORKERS ? '' : worker;
    // One failure is the trouble of a moment, and the next run or delivery fixes it.
    this.#watch('store-failures', id, { metric: metric('StoreFailures', periodMs), threshold: 1, periods: periodsIn(15, periodMs) });
    this.#watch('quarantined-rows', id, { metric: metric('Quarantined', FIVE_MINUTES.toMilliseconds()), threshold: 1 });
  }

  #ownOfDeployment(): void {
    const { deployment, choices, settings } = this.#options;
    const { acquirerIntervalMs, sweeperIntervalMs } = settings;
    this.#watch('oldest-ready-age', '', {
      metric: deploymentMetric(deployment, 'OldestReadyAge', { period: Duration.millis(sweeperIntervalMs) }),
      threshold: choices.oldestReadyAge.toMilliseconds(),
      periods: periodsIn(5, sweeperIntervalMs),
    });
    this.#watch('timer-lag', '', {
      metric: deploymentMetric(deployment, 'TimerLag', {
        worker: ALL_WORKERS,
        statistic: Stats.MAXIMUM,
        period: Duration.millis(acquirerIntervalMs),
      }),
      threshold: choices.timerLag.toMilliseconds(),
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

  #watch(name: AlarmName, worker: string, { metric, threshold, periods = 1, below, missingIsBad }: Watch): void {
    const { choices, active } = this.#options;
    const alarm = new Alarm(this, worker === '' ? name : `${name}-${worker}`, {
      alarmDescription: alarmDescription(name, choices.runbook),
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: below ? ComparisonOperator.LESS_THAN_THRESHOLD : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missingIsBad ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      actionsEnabled: active || missingIsBad !== true,
    });
    alarm.addAlarmAction(...choices.actions);
    alarm.addOkAction(...choices.actions);
    this.#made.push(alarm);
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

function sum(metrics: readonly IMetric[]): IMetric {
  const [only] = metrics;
  if (metrics.length === 1 && only !== undefined) return only;
  const names = metrics.map((_, index) => `m${index}`);
  return new MathExpression({
    expression: `SUM([${names.map((name) => `FILL(${name}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    period: FIVE_MINUTES,
  });
}
