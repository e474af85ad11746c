import { type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { ALL_WORKERS, type MetricName } from '../../shared/adapters/observability/names.ts';
import type { WorkerQueues } from '../queues.ts';
import { graph, heading, own, PERIOD, row } from './graph.ts';

/** What of a deployment these rows show. */
export interface MaintenanceRowsProps {
  readonly deployment: string;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
}

/** Timers and the acquirer, then what the sweeper finds, then what ended badly. */
export function maintenanceRows({ deployment, workers, acquirer, sweeper }: MaintenanceRowsProps): IWidget[][] {
  const whole = (name: MetricName, statistic?: string): IMetric => own(deployment, name, ALL_WORKERS, statistic);
  // Acquirer and sweeper are no worker: what they count stands under `all` or under the worker of the job.
  const everywhere = (name: MetricName): IMetric[] => [ALL_WORKERS, ...workers.keys()].map((worker) => own(deployment, name, worker));
  const ofWorkers = (name: MetricName): IMetric[] => [...workers.keys()].map((worker) => own(deployment, name, worker));
  const deadLetterQueues = [...workers].flatMap(([worker, { queues }]) => queues.deadLetterQueues.map((queue) => [worker, queue] as const));
  return [
    heading('Timers', 'Fired once a minute, ahead of their time, with a delayed message. Lag is how late the latest one was.'),
    row(
      graph('Timers fired', everywhere('TimersFired')),
      graph('Timer lag (ms)', [whole('TimerLag', Stats.MAXIMUM), whole('TimerLag', Stats.percentile(50))]),
      graph('Runs of the acquirer that ended', [whole('AcquirerHeartbeat', Stats.SAMPLE_COUNT)]),
      graph('Time of a run (ms)', [longest(acquirer, 'acquirer')]),
    ),
    heading('Sweeper', 'A reset is a job whose message was lost or whose executor died. A few are normal; a wall of them is not.'),
    row(
      graph('Leases reset', everywhere('Resets')),
      graph('Oldest job that is due (ms)', [whole('OldestReadyAge')]),
      graph('Due jobs that wait', [whole('OverdueReady')]),
      graph('Runs of the sweeper that ended', [whole('SweeperHeartbeat', Stats.SAMPLE_COUNT)]),
      graph('Time of a sweep (ms)', [longest(sweeper, 'sweeper')]),
    ),
    heading('Dead letters and failures', 'What needs somebody: grouped by fault in the console and by nightcrew dead-letters groups.'),
    row(
      graph('Dead letters', ofWorkers('JobsDeadLettered')),
      graph(
        'Crash loops, endless chains, unknown types',
        (['CrashLoops', 'ChainLimits', 'JobsWithoutHandler'] as const).flatMap(ofWorkers),
      ),
      graph('Rows set aside', everywhere('Quarantined')),
      graph('Failed reads and writes', everywhere('StoreFailures')),
    ),
    row(
      graph('Messages that were not sent', everywhere('SendFailures')),
      graph('History and events that were lost', (['HistoryLost', 'EventsLost'] as const).flatMap(everywhere)),
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
