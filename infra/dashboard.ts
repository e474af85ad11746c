import { Duration } from 'aws-cdk-lib';
import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Stats,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { ALL_WORKERS, type MetricName } from '../shared/observability/names.ts';
import { deploymentMetric } from './metrics.ts';
import type { WorkerQueues } from './queues.ts';
import type { Tables } from './tables.ts';

/** What the dashboard shows. */
export interface DashboardOptions {
  readonly deployment: string;
  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues; readonly fn?: IFunction }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
  readonly alarms: readonly Alarm[];
}

const WIDTH = 24;
const PERIOD = Duration.minutes(1);

/** A dashboard that follows a job: enqueued, in the queue, running, ended; then timers, the sweeper and what AWS says of tables and functions. */
export function createDashboard(scope: Construct, options: DashboardOptions): Dashboard {
  const workers = [...options.workers.keys()];
  return new Dashboard(scope, 'Dashboard', {
    defaultInterval: Duration.hours(3),
    widgets: [
      ...(options.alarms.length === 0
        ? []
        : [[new AlarmStatusWidget({ title: 'Alarms', alarms: [...options.alarms], width: WIDTH, height: 4 })]]),
      ...workers.flatMap((worker) => workerRows(worker, options)),
      [title('Timers and recovery')],
      row([
        graph(
          'Timers fired',
          [ALL_WORKERS, ...workers].map((worker) => own(options, 'TimersFired', worker)),
        ),
        graph('Timer lag (ms)', [own(options, 'TimerLag', ALL_WORKERS)]),
        graph(
          'Leases reset',
          [ALL_WORKERS, ...workers].map((worker) => own(options, 'Resets', worker)),
        ),
        graph('Oldest job that is due (ms)', [own(options, 'OldestReadyAge', ALL_WORKERS)]),
      ]),
      row([
        graph(
          'Failed reads and writes',
          [ALL_WORKERS, ...workers].map((worker) => own(options, 'StoreFailures', worker)),
        ),
        graph(
          'Rows set aside',
          [ALL_WORKERS, ...workers].map((worker) => own(options, 'Quarantined', worker)),
        ),
      ]),
      row(tableGraphs(options.tables)),
      row(functionGraphs(options)),
    ],
  });
}

function workerRows(worker: string, options: DashboardOptions): IWidget[][] {
  const metric = (name: MetricName): IMetric => own(options, name, worker);
  const sources = sourcesOf(options.workers.get(worker)?.queues);
  return [
    [title(`Worker ${worker}`)],
    row([
      graph('Enqueued and started', [metric('JobsEnqueued'), metric('JobsStarted')]),
      graph(
        'Waiting in the queue',
        sources.map(([label, queue]) => queue.metricApproximateNumberOfMessagesVisible({ label, period: PERIOD })),
      ),
      graph(
        'Oldest message (s)',
        sources.map(([label, queue]) => queue.metricApproximateAgeOfOldestMessage({ label, period: PERIOD })),
      ),
      graph('Delay and run time, p99 (ms)', [metric('QueueDelay'), metric('RunTime')]),
    ]),
    row([
      graph('Ended', [metric('JobsCompleted'), metric('JobsFailed'), metric('JobsCancelled')]),
      graph('Tried again', [metric('JobsRetried'), metric('JobsSnoozed'), metric('JobsGivenBack')]),
      graph('Dead letters', [metric('JobsDeadLettered'), metric('CrashLoops'), metric('Quarantined')]),
      graph('Races and losses', [metric('LostClaims'), metric('LostLeases'), metric('JobsCrashed'), metric('SendFailures')]),
    ]),
  ];
}

/** Queues with what a graph calls them: the lane, or `groups` for the one FIFO queue. */
function sourcesOf(queues: WorkerQueues | undefined): readonly (readonly [label: string, queue: Queue])[] {
  if (queues === undefined) return [];
  return [...Object.entries(queues.lanes), ...(queues.fifo === undefined ? [] : [['groups', queues.fifo] as const])];
}

function tableGraphs(tables: Tables): Graph[] {
  const all = Object.values(tables);
  return [
    graph(
      'Write units',
      all.map((table) => table.metricConsumedWriteCapacityUnits({ statistic: Stats.SUM, period: PERIOD })),
    ),
    graph(
      'Read units',
      all.map((table) => table.metricConsumedReadCapacityUnits({ statistic: Stats.SUM, period: PERIOD })),
    ),
    graph(
      'Conditions that failed',
      all.map((table) => table.metricConditionalCheckFailedRequests({ period: PERIOD })),
    ),
  ];
}

function functionGraphs({ workers, acquirer, sweeper }: DashboardOptions): Graph[] {
  const functions: readonly (readonly [string, IFunction])[] = [
    ...[...workers].flatMap(([worker, { fn }]) => (fn === undefined ? [] : [[`executor ${worker}`, fn] as const])),
    ['acquirer', acquirer],
    ['sweeper', sweeper],
  ];
  const each = (metric: (fn: IFunction, label: string) => IMetric): IMetric[] => functions.map(([label, fn]) => metric(fn, label));
  return [
    graph(
      'Errors',
      each((fn, label) => fn.metricErrors({ label, period: PERIOD })),
    ),
    graph(
      'Throttles',
      each((fn, label) => fn.metricThrottles({ label, period: PERIOD })),
    ),
    graph(
      'Duration, maximum (ms)',
      each((fn, label) => fn.metricDuration({ label, statistic: Stats.MAXIMUM, period: PERIOD })),
    ),
  ];
}

function own({ deployment }: DashboardOptions, name: MetricName, worker: string): IMetric {
  return deploymentMetric(deployment, name, { worker, label: worker === ALL_WORKERS ? name : `${name} ${worker}`, period: PERIOD });
}

/** One graph of a row; the row decides how wide it is. */
interface Graph {
  readonly title: string;
  readonly metrics: readonly IMetric[];
}

function graph(name: string, metrics: readonly IMetric[]): Graph {
  return { title: name, metrics };
}

function row(graphs: readonly Graph[]): IWidget[] {
  return graphs.map(
    ({ title: name, metrics }) =>
      new GraphWidget({ title: name, left: [...metrics], width: WIDTH / graphs.length, leftYAxis: { min: 0, showUnits: false } }),
  );
}

function title(text: string): IWidget {
  return new TextWidget({ markdown: `## ${text}`, width: WIDTH, height: 1 });
}
