import { type IMetric, type IWidget, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import type { WorkerQueues } from '../queues.ts';
import type { Tables } from '../tables.ts';
import { graph, type Graph, heading, PERIOD, row } from './graph.ts';

/** The resources of a deployment that cost money. */
export interface Paid {
  readonly tables: Tables;
  readonly workers: ReadonlyMap<string, { readonly queues: WorkerQueues; readonly fn?: IFunction }>;
  readonly acquirer: IFunction;
  readonly sweeper: IFunction;
}

/** Billed use and throttling: tables, queues, functions. */
export function costRows(paid: Paid): IWidget[][] {
  return [
    heading(
      'Cost and capacity',
      'A plain job is three write units, three queue requests and its time in Lambda; an idle deployment costs its ticks.',
    ),
    row(...tableGraphs(paid.tables)),
    row(...functionGraphs(paid), ...queueGraphs(paid)),
  ];
}

function tableGraphs(tables: Tables): Graph[] {
  const each = (metricName: string, statistic: string = Stats.SUM): IMetric[] =>
    Object.entries(tables).map(([label, { tableName: TableName }]) => ofTable(metricName, { TableName }, { label, statistic }));
  const throttled = (Object.entries(tables) as [TableName, Tables[TableName]][]).flatMap(([name, { tableName: TableName }]) => [
    ...(['WriteThrottleEvents', 'ReadThrottleEvents'] as const).map((metricName) =>
      ofTable(metricName, { TableName }, { label: `${name} ${metricName === 'WriteThrottleEvents' ? 'writes' : 'reads'}` }),
    ),
    ...Object.keys(TABLE_SPECS[name].indexes).map((index) =>
      ofTable('WriteThrottleEvents', { TableName, GlobalSecondaryIndexName: index }, { label: `${name} ${index}` }),
    ),
  ]);
  return [
    graph('Write units', each('ConsumedWriteCapacityUnits')),
    graph('Read units', each('ConsumedReadCapacityUnits')),
    graph('Failed conditions', each('ConditionalCheckFailedRequests')),
    graph('Throttled writes and reads', throttled),
  ];
}

function ofTable(
  metricName: string,
  dimensionsMap: Record<string, string>,
  { label, statistic = Stats.SUM }: { readonly label: string; readonly statistic?: string },
): IMetric {
  return new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, label, statistic, period: PERIOD });
}

function functionGraphs({ workers, acquirer, sweeper }: Paid): Graph[] {
  const functions: readonly (readonly [string, IFunction])[] = [
    ...[...workers].flatMap(([worker, { fn }]) => (fn === undefined ? [] : [[`executor ${worker}`, fn] as const])),
    ['acquirer', acquirer],
    ['sweeper', sweeper],
  ];
  const each = (measure: (fn: IFunction, label: string) => IMetric): IMetric[] => functions.map(([label, fn]) => measure(fn, label));
  return [
    graph(
      'Time in Lambda (ms)',
      each((fn, label) => fn.metricDuration({ label, statistic: Stats.SUM, period: PERIOD })),
    ),
    graph(
      'Errors',
      each((fn, label) => fn.metricErrors({ label, period: PERIOD })),
    ),
    graph(
      'Throttles',
      each((fn, label) => fn.metricThrottles({ label, period: PERIOD })),
    ),
  ];
}

function queueGraphs({ workers }: Paid): Graph[] {
  const queues = [...workers].flatMap(
    ([
      worker,
      {
        queues: { sources },
      },
    ]) => sources.map((queue, index): [string, Queue] => [`${worker} ${index + 1}`, queue]),
  );
  const each = (measure: (queue: Queue, label: string) => IMetric): IMetric[] => queues.map(([label, queue]) => measure(queue, label));
  return [
    graph(
      'Messages sent',
      each((queue, label) => queue.metricNumberOfMessagesSent({ label, period: PERIOD })),
    ),
    graph(
      'Empty polls',
      each((queue, label) => queue.metricNumberOfEmptyReceives({ label, period: PERIOD })),
    ),
  ];
}
