import { type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ALL_WORKERS } from '../../shared/job/worker-names.ts';
import { type MetricName } from '../../shared/adapters/observability/names.ts';
import type { WorkerQueues } from '../queues.ts';
import { graph, heading, own, PERIOD, row } from './graph.ts';

/** The resources that these rows show. */
export interface MaintenanceRowsProps {
  readonly deployment: string;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
}

/** Timers and the acquirer, then the sweeper, then dead letters and failures. */
export function maintenanceRows({ deployment, workers, acquirer, sweeper }: MaintenanceRowsProps): IWidget[][] {
  const whole = (name: MetricName, statistic?: string): IMetric => own(deployment, name, ALL_WORKERS, statistic);
  // Acquirer and sweeper are not workers: their counts have the dimension value `all` or the worker of the job.
  const everywhere = (name: MetricName): IMetric[] => [ALL_WORKERS, ...workers.keys()].map((worker) => own(deployment, name, worker));
  const ofWorkers = (name: MetricName): IMetric[] => [...workers.keys()].map((worker) => own(deployment, name, worker));
  const deadLetterQueues = [...workers].flatMap(([worker, { queues }]) => queues.deadLetterQueues.map((queue) => [worker, queue] as const));
  return [
    heading('Timers', 'Fired once a minute, ahead of their time, with a delayed message. Lag is how late the latest one was.'),
    row(
      graph('Timers fired', everywhere('TimersFired')),
      graph('Timer lag (ms)', [whole('TimerLag', Stats.MAXIMUM), whole('TimerLag', Stats.percentile(50))]),
      graph('Completed acquirer runs', [whole('AcquirerHeartbeat', Stats.SAMPLE_COUNT)]),
      graph('Run duration (ms)', [longest(acquirer, 'acquirer')]),
    ),
    heading('Sweeper', 'A reset is a job whose message was lost or whose executor died. A few are normal; many are not.'),
    row(
      graph('Leases reset', everywhere('Resets')),
      graph('Age of the oldest due job (ms)', [whole('OldestReadyAge')]),
      graph('Waiting due jobs', [whole('OverdueReady')]),
      graph('Completed sweeper runs', [whole('SweeperHeartbeat', Stats.SAMPLE_COUNT)]),
      graph('Sweep duration (ms)', [longest(sweeper, 'sweeper')]),
    ),
    heading('Dead letters and failures', 'These need an operator. The console and nightcrew dead-letters groups group them by error.'),
    row(
      graph('Dead letters', ofWorkers('JobsDeadLettered')),
      graph(
        'Crash loops, endless chains, unknown types',
        (['CrashLoops', 'ChainLimits', 'JobsWithoutHandler'] as const).flatMap(ofWorkers),
      ),
      graph('Quarantined rows', everywhere('Quarantined')),
      graph('Failed reads and writes', everywhere('StoreFailures')),
    ),
    row(
      graph('Unsent messages', everywhere('SendFailures')),
      graph(
        'Lost history and events, unknown settings and rules',
        (['HistoryLost', 'EventsLost', 'UnknownSettings', 'UnknownRules'] as const).flatMap(everywhere),
      ),
      graph(
        'Messages in dead-letter queues',
        deadLetterQueues.map(([label, queue]) => queue.metricApproximateNumberOfMessagesVisible({ label, period: PERIOD })),
      ),
    ),
  ];
}

function longest(fn: IFunction, label: string): IMetric {
  return fn.metricDuration({ label, statistic: Stats.MAXIMUM, period: PERIOD });
}
