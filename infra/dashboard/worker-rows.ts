import { type IMetric, type IWidget, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { MetricName } from '../../shared/adapters/observability/names.ts';
import type { WorkerQueues } from '../queues.ts';
import { graph, heading, own, PERIOD, row } from './graph.ts';

/** A worker as its rows show it. */
export interface WatchedWorker {
  readonly queues: WorkerQueues;
  /** Absent for a worker outside Lambda. */
  readonly fn?: IFunction;
}

/** One worker in the order in which a job goes through it: enqueued and ready, claimed and running, ended. */
export function workerRows(deployment: string, worker: string, { queues, fn }: WatchedWorker): IWidget[][] {
  const metric = (name: MetricName, statistic?: string): IMetric => own(deployment, name, worker, statistic);
  const sources = sourcesOf(queues);
  const each = (measure: (queue: Queue, label: string) => IMetric): IMetric[] => sources.map(([label, queue]) => measure(queue, label));
  return [
    heading(`Worker ${worker}`, 'In the order of the life of a job: enqueued, ready in its queue, claimed, running, ended.'),
    row(
      graph('Enqueued', [metric('JobsEnqueued'), metric('JobsRerouted')]),
      graph(
        'Waiting in the queue',
        each((queue, label) => queue.metricApproximateNumberOfMessagesVisible({ label, period: PERIOD })),
      ),
      graph(
        'Oldest message (s)',
        each((queue, label) => queue.metricApproximateAgeOfOldestMessage({ label, period: PERIOD })),
      ),
      graph('Delay from due to start (ms)', [metric('QueueDelay', Stats.percentile(50)), metric('QueueDelay', Stats.percentile(99))]),
    ),
    row(
      graph('Claimed and started', [metric('JobsStarted'), metric('LostClaims'), metric('JobsGivenBack')]),
      graph(
        'In flight',
        each((queue, label) => queue.metricApproximateNumberOfMessagesNotVisible({ label, period: PERIOD })),
      ),
      graph('Concurrent executors', fn === undefined ? [] : [concurrency(fn)]),
      graph('Handler run time (ms)', [metric('RunTime', Stats.percentile(50)), metric('RunTime', Stats.percentile(99))]),
    ),
    row(
      graph('Ended', [
        metric('JobsCompleted'),
        metric('JobsFailed'),
        metric('JobsCancelled'),
        metric('JobsExpired'),
        metric('JobsSkipped'),
        metric('JobsDeadLettered'),
      ]),
      graph('Run again', [metric('JobsRetried'), metric('JobsSnoozed'), metric('JobsContinued')]),
      graph('Held and released', [metric('JobsSuspended'), metric('JobsResumed'), metric('JobsParked'), metric('JobsReleased')]),
      graph('Crashes and losses', [metric('JobsCrashed'), metric('LostLeases'), metric('SandboxesEnded'), metric('SendFailures')]),
    ),
  ];
}

function concurrency(fn: IFunction): IMetric {
  return fn.metric('ConcurrentExecutions', { label: 'executors', statistic: Stats.MAXIMUM, period: PERIOD });
}

/** Queues with their labels in graphs: the lane, or `groups` for the FIFO queue. */
function sourcesOf({ lanes, fifo }: WorkerQueues): readonly (readonly [label: string, queue: Queue])[] {
  return [...Object.entries(lanes), ...(fifo === undefined ? [] : [['groups', fifo] as const])];
}
