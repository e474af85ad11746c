import { Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ALL_WORKERS, DIMENSIONS, DURATIONS, GAUGES, type MetricName, NAMESPACE } from '../shared/adapters/observability/names.ts';

/** How a metric is read. */
export interface JobMetricOptions extends MetricOptions {
  /**
   * The worker whose metric it is.
   * @default - `default`; ages and heartbeats: the whole deployment
   */
  readonly worker?: string;
}

const DURATION_NAMES: ReadonlySet<string> = new Set(Object.values(DURATIONS));
const GAUGE_NAMES: ReadonlySet<string> = new Set(Object.values(GAUGES).map(({ metric }) => metric));

/** A metric of a deployment: counts are sums, durations their 99th percentile, ages and heartbeats their maximum. */
export function deploymentMetric(deployment: string, metricName: MetricName, options: JobMetricOptions = {}): Metric {
  const { worker, dimensionsMap, ...rest } = options;
  const gauge = GAUGE_NAMES.has(metricName);
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    statistic: gauge ? Stats.MAXIMUM : DURATION_NAMES.has(metricName) ? Stats.percentile(99) : Stats.SUM,
    ...rest,
    dimensionsMap: {
      [DIMENSIONS.deployment]: deployment,
      [DIMENSIONS.worker]: worker ?? (gauge ? ALL_WORKERS : 'default'),
      ...dimensionsMap,
    },
  });
}
