import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { knownNames } from '../shared/job/closest-name.ts';
import { ALL_WORKERS } from '../shared/job/worker-names.ts';
import {
  COUNTED,
  COUNTED_APART,
  DIMENSIONS,
  DURATIONS,
  GAUGES,
  type MetricName,
  NAMESPACE,
} from '../shared/adapters/observability/names.ts';
import { isRecord, valid, warnOfUnknown } from './option-checks.ts';
import type { DeploymentReferences } from './references.ts';

/** How a metric is read. */
export interface JobMetricOptions extends MetricOptions {
  /**
   * The worker of the metric.
   * @default - `default`; ages and heartbeats: the whole deployment
   */
  readonly worker?: string;
  /**
   * The job type whose metric it is: one of those that `metrics` of the construct names.
   * @default - all types of the worker
   */
  readonly type?: string;
}

const DURATION_NAMES: ReadonlySet<string> = new Set(Object.values(DURATIONS));
const GAUGE_NAMES: ReadonlySet<string> = new Set(Object.values(GAUGES).map(({ metric }) => metric));

/** What happens to a job, whose entries name its worker. */
const OF_JOBS = /^(?:Jobs|QueueDelay$|RunTime$)/;

const METRIC_NAMES: readonly string[] = [COUNTED, COUNTED_APART, DURATIONS]
  .flatMap((names) => Object.values<string>(names))
  .concat([...GAUGE_NAMES]);

const KNOWN: Readonly<Record<keyof JobMetricOptions, true>> = {
  worker: true,
  type: true,
  period: true,
  statistic: true,
  dimensionsMap: true,
  unit: true,
  label: true,
  color: true,
  id: true,
  visible: true,
  account: true,
  region: true,
  stackAccount: true,
  stackRegion: true,
};

/** Refuses a metric, a worker or a job type of which nothing is ever published: its alarm would never ring. */
export function checkMetric(scope: IConstruct, { workers, metrics }: DeploymentReferences, name: MetricName, options: unknown = {}): void {
  if (!METRIC_NAMES.includes(name)) refuse('metric', `${shownValue(name)} is no metric. ${knownNames(name, METRIC_NAMES)}`);
  if (!isRecord(options)) refuse('metric', `${shownValue(options)} is no object with options of a metric. Use { worker: 'default' }.`);
  warnOfUnknown(scope, 'metric', { props: options, known: KNOWN, of: 'a metric' });
  if (metrics === 'off')
    refuse('metric', `${name} is not published: metrics of the job executor are 'off'. Choose 'worker' or 'type' there.`);
  const { worker = workerOf(name), type } = options as JobMetricOptions;
  checkWorkerOf(name, worker, workers);
  if (type === undefined) return;
  if (GAUGE_NAMES.has(name)) refuse('metric.type', `${name} is of the whole deployment, not of job types. Leave it out.`);
  if (metrics === 'type') return;
  const types: readonly unknown[] = metrics === undefined || metrics === 'worker' ? [] : metrics.types;
  const hasOwn = valid(
    (given) => types.includes(given),
    'It has no metrics of its own: name it in metrics of the job executor, { types: [...] }.',
  );
  hasOwn('metric.type', type);
}

/** What is measured of a deployment has no worker, and what happens to a job always has one. */
function checkWorkerOf(name: MetricName, worker: unknown, workers: DeploymentReferences['workers']): void {
  const named = [...Object.keys(workers), ...(OF_JOBS.test(name) ? [] : [ALL_WORKERS])];
  const ever = [...named, ...Object.values(workers).flatMap(({ formerly = [] }) => formerly)];
  const [known, why] = GAUGE_NAMES.has(name)
    ? [[ALL_WORKERS], `${name} is of the whole deployment. Leave worker out.`]
    : worker === ALL_WORKERS
      ? [ever, `${name} is published of each worker alone. ${knownNames(worker, named)}`]
      : [ever, `It is no worker. ${knownNames(worker, named)}`];
  valid((given) => known.some((one) => one === given), why)('metric.worker', worker);
}

/** The worker whose metric it is where none is named: ages and heartbeats are of the whole deployment. */
function workerOf(metricName: MetricName): string {
  return GAUGE_NAMES.has(metricName) ? ALL_WORKERS : 'default';
}

/** A metric of a deployment: counts are sums, durations their 99th percentile, ages and heartbeats their maximum. */
export function deploymentMetric(deployment: string, metricName: MetricName, options: JobMetricOptions = {}): Metric {
  const { worker = workerOf(metricName), type, dimensionsMap, ...rest } = options;
  const gauge = GAUGE_NAMES.has(metricName);
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    statistic: gauge ? Stats.MAXIMUM : DURATION_NAMES.has(metricName) ? Stats.percentile(99) : Stats.SUM,
    ...rest,
    dimensionsMap: {
      [DIMENSIONS.deployment]: deployment,
      [DIMENSIONS.worker]: worker,
      ...(type === undefined ? {} : { [DIMENSIONS.type]: type }),
      ...dimensionsMap,
    },
  });
}
