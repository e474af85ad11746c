import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric, type IWidget, TextWidget } from 'aws-cdk-lib/aws-cloudwatch';
import { defined } from '../../shared/job/defined.ts';
import { ALL_WORKERS } from '../../shared/job/worker-names.ts';
import { type MetricName } from '../../shared/adapters/observability/names.ts';
import { deploymentMetric } from '../metrics.ts';

/** Columns of a dashboard. */
export const WIDTH = 24;
/** Every graph has one value a minute. */
export const PERIOD = Duration.minutes(1);

/** One graph of a row; the row decides how wide it is. */
export interface Graph {
  readonly title: string;
  readonly metrics: readonly IMetric[];
}

export function graph(title: string, metrics: readonly IMetric[]): Graph {
  return { title, metrics };
}

/** Graphs side by side. One without metrics, such as those of functions where there are none, is left out. */
export function row(...graphs: readonly Graph[]): IWidget[] {
  const shown = graphs.filter(({ metrics }) => metrics.length > 0);
  const each = Math.floor(WIDTH / shown.length);
  return shown.map(({ title, metrics }, index) => {
    // CloudWatch accepts whole columns only: the last graph gets the rest.
    const width = index === shown.length - 1 ? WIDTH - each * index : each;
    return new GraphWidget({ title, left: [...metrics], width, leftYAxis: { min: 0, showUnits: false } });
  });
}

/** A heading across the dashboard, with a line that explains the graphs below. */
export function heading(title: string, text?: string): IWidget[] {
  return [
    new TextWidget({
      markdown: [`## ${title}`, ...(text === undefined ? [] : [text])].join('\n'),
      width: WIDTH,
      height: text === undefined ? 1 : 2,
    }),
  ];
}

/** A metric of the deployment as a graph shows it: by its name, and the worker's where several are shown. */
export function own(deployment: string, name: MetricName, worker: string, statistic?: string): IMetric {
  const label = [name, ...(worker === ALL_WORKERS ? [] : [worker]), ...(statistic === undefined ? [] : [statistic])].join(' ');
  return deploymentMetric(deployment, name, { worker, label, period: PERIOD, ...defined({ statistic }) });
}
