import { Duration, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { ALARM_SPECS, type AlarmName } from '../../infra/alarm-specs.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { ALL_WORKERS } from '../../shared/job/worker-names.ts';
import { COUNTED, COUNTED_APART, DURATIONS, GAUGES } from '../../shared/adapters/observability/names.ts';
import { executorTemplate, WORKER_ENTRY, quickApp, resources } from './synth.ts';

interface AlarmProperties {
  readonly AlarmDescription: string;
  readonly TreatMissingData: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly MetricName?: string;
  readonly Statistic?: string;
  readonly Period?: number;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
  readonly AlarmActions?: readonly unknown[];
}

const NAMES = Object.keys(ALARM_SPECS) as readonly AlarmName[];

function alarms(props: Partial<JobExecutorProps> = {}): readonly AlarmProperties[] {
  return Object.values(resources(executorTemplate(props), 'AWS::CloudWatch::Alarm')).map(
    ({ Properties }) => Properties as unknown as AlarmProperties,
  );
}

function alarm(name: AlarmName, props: Partial<JobExecutorProps> = {}): AlarmProperties {
  const found = alarms(props).find(({ AlarmDescription }) => AlarmDescription.endsWith(`#${name}`));
  if (found === undefined) throw new Error(`There is no alarm ${name}.`);
  return found;
}

const anchorOf = (description: string): string => description.split('#')[1] ?? '';

describe('the alarms', () => {
  it('are all there, and each names its severity and its article', () => {
    const lanes = { urgent: { from: 10 }, default: { to: 9 } };
    const descriptions = alarms({ workers: { default: { entry: WORKER_ENTRY, lanes, groups: true } }, deployment: {} }).map(
      ({ AlarmDescription }) => AlarmDescription,
    );
    expect([...new Set(descriptions.map(anchorOf))].toSorted()).toEqual(NAMES.toSorted());
    for (const text of descriptions) expect(text).toMatch(/^\[(page|ticket)\] .+\. Runbook: docs\/operate\/runbook\.md#[a-z-]+$/);
  });

  it('of grouped jobs go off well before SQS no longer finds other groups', () => {
    const grouped = { workers: { default: { entry: WORKER_ENTRY, groups: true } } };
    expect(alarm('group-backlog', grouped)).toMatchObject({ MetricName: 'ApproximateNumberOfMessagesVisible', Threshold: 40_000 });
    expect(JSON.stringify(alarm('group-backlog', grouped).Dimensions)).toContain('Fifo');
    expect(alarms().some(({ AlarmDescription }) => AlarmDescription.endsWith('#group-backlog'))).toBe(false);
  });

  it('point to a runbook that lies elsewhere when that is said', () => {
    expect(alarm('dead-letters', { alarmOptions: { runbook: 'https://wiki.example.com/jobs' } }).AlarmDescription).toContain(
      'https://wiki.example.com/jobs#dead-letters',
    );
  });

  it('of a worker are there for each worker, with its dimension', () => {
    const workers = { default: { entry: WORKER_ENTRY }, reports: { entry: WORKER_ENTRY } };
    const found = alarms({ workers }).filter(({ AlarmDescription }) => AlarmDescription.endsWith('#dead-letters'));
    expect(found.map(({ Dimensions }) => Dimensions?.find(({ Name }) => Name === 'worker')?.Value)).toEqual(['default', 'reports']);
  });

  it('of lanes are there for each lane, also where a worker and its lane read as another one and its lane', () => {
    const lanes = (name: string) => ({ entry: WORKER_ENTRY, lanes: { [name]: { from: 5 }, rest: { to: 4 } } });
    const found = (workers: JobExecutorProps['workers']) =>
      Object.entries(resources(executorTemplate({ workers }), 'AWS::CloudWatch::Alarm'))
        .filter(([, { Properties }]) => String(Properties['AlarmDescription']).endsWith('#lane-age'))
        .map(([id]) => id);
    const alone = found({ mail: lanes('eu-fast') });
    expect(alone).toHaveLength(2);
    const both = found({ mail: lanes('eu-fast'), 'mail-eu': lanes('fast') });
    expect(both).toHaveLength(4);
    expect(both).toEqual(expect.arrayContaining(alone));
  });

  it('of our own watch metrics that the journal publishes', () => {
    const gauges = Object.values(GAUGES).map(({ metric }) => metric);
    const published = new Set<string>([...Object.values(COUNTED), ...Object.values(COUNTED_APART), ...Object.values(DURATIONS), ...gauges]);
    const own = alarms().flatMap(({ MetricName, Dimensions }) =>
      Dimensions?.some(({ Name }) => Name === 'deployment') ? [MetricName ?? ''] : [],
    );
    expect(own).toHaveLength(12);
    expect(own.filter((name) => !published.has(name))).toEqual([]);
  });

  it('on ticks go off when ticks fail or are refused for a quarter of an hour, whatever the queue holds', () => {
    expect(alarm('failed-ticks')).toMatchObject({
      MetricName: 'NumberOfMessagesSent',
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 3,
    });
    const throttled = alarm('tick-throttles').Metrics ?? [];
    const functions = throttled.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [JSON.stringify(MetricStat)]));
    expect(functions.map((metric) => /"(Jobs(?:Acquirer|Sweeper)Function)/.exec(metric)?.[1])).toEqual([
      'JobsAcquirerFunction',
      'JobsSweeperFunction',
    ]);
    for (const metric of functions) expect(metric).toContain('"MetricName":"Throttles"');
  });

  it('on ticks have a value in every period of a sweeper that runs once an hour', () => {
    const settings = { sweeperInterval: Duration.minutes(60) };
    expect(alarm('failed-ticks', { settings })).toMatchObject({ Period: 3_600, EvaluationPeriods: 1 });
  });

  it('treat a missing heartbeat as dead, and silence elsewhere as well', () => {
    const bad = alarms()
      .filter(({ TreatMissingData }) => TreatMissingData === 'breaching')
      .map(({ AlarmDescription }) => anchorOf(AlarmDescription));
    expect(bad).toEqual(['acquirer-heartbeat', 'sweeper-heartbeat']);
  });

  it('wait for three intervals of a heartbeat, however long they are', () => {
    const beat = alarm('sweeper-heartbeat', { settings: { sweeperInterval: Duration.minutes(10) } });
    expect(beat).toMatchObject({
      MetricName: 'SweeperHeartbeat',
      Statistic: 'SampleCount',
      Period: 600,
      EvaluationPeriods: 3,
      Threshold: 1,
    });
  });

  it('miss each of several acquirers, whether they publish metrics or not', () => {
    for (const metrics of ['worker', 'off'] as const) {
      const settings = { acquirers: 4 };
      expect(alarm('acquirer-heartbeat', { settings, metrics })).toMatchObject({ Threshold: 4, ComparisonOperator: 'LessThanThreshold' });
      expect(alarm('sweeper-heartbeat', { settings, metrics })).toMatchObject({ Threshold: 1 });
    }
  });

  it.each([
    ['crash-loops', 'CrashLoops'],
    ['chain-depth', 'ChainLimits'],
    ['jobs-without-handler', 'JobsWithoutHandler'],
  ] as const)('%s pages at the first one', (name, MetricName) => {
    expect(alarm(name)).toMatchObject({ MetricName, Statistic: 'Sum', Threshold: 1, EvaluationPeriods: 1 });
    expect(ALARM_SPECS[name].severity).toBe('page');
  });

  it('on late jobs and timers have a value in every period, however rarely they are looked for', () => {
    expect(alarm('oldest-ready-age')).toMatchObject({ Period: 60, EvaluationPeriods: 5 });
    expect(alarm('timer-lag')).toMatchObject({ Period: 60, EvaluationPeriods: 3 });
    const fiveMinutes = Duration.minutes(5);
    const settings = { sweeperInterval: fiveMinutes, acquirerInterval: Duration.minutes(4), horizon: Duration.minutes(9) };
    expect(alarm('oldest-ready-age', { settings })).toMatchObject({ Period: 300, EvaluationPeriods: 1 });
    expect(alarm('timer-lag', { settings })).toMatchObject({ Period: 240, EvaluationPeriods: 1 });
    const twoMinutes = { sweeperInterval: Duration.minutes(2), acquirerInterval: Duration.minutes(2) };
    expect(alarm('oldest-ready-age', { settings: twoMinutes })).toMatchObject({ Period: 120, EvaluationPeriods: 3 });
    expect(alarm('timer-lag', { settings: twoMinutes })).toMatchObject({ Period: 120, EvaluationPeriods: 2 });
  });

  it.each([
    ['store-failures', 'StoreFailures', 3],
    ['quarantined-rows', 'Quarantined', 1],
  ] as const)('%s watch what executors count under their worker, and acquirer and sweeper under all', (name, MetricName, periods) => {
    const found = alarms().filter(({ AlarmDescription }) => AlarmDescription.endsWith(`#${name}`));
    expect(found.map(({ Dimensions }) => Dimensions?.find(({ Name }) => Name === 'worker')?.Value)).toEqual(['default', ALL_WORKERS]);
    for (const made of found)
      expect(made).toMatchObject({ MetricName, Statistic: 'Sum', Threshold: 1, Period: 300, EvaluationPeriods: periods });
  });

  it('on failures have a value in every period of a sweeper that runs once in half an hour', () => {
    const found = alarms({ settings: { sweeperInterval: Duration.minutes(30) } }).filter(
      ({ MetricName }) => MetricName === 'StoreFailures',
    );
    expect(found.map(({ Period, EvaluationPeriods }) => [Period, EvaluationPeriods])).toEqual([
      [300, 3],
      [1_800, 1],
    ]);
  });

  it('watch what AWS measures when the functions publish nothing', () => {
    const names = alarms({ metrics: 'off' }).map(({ AlarmDescription }) => anchorOf(AlarmDescription));
    expect(names.toSorted()).toEqual([
      'acquirer-heartbeat',
      'failed-ticks',
      'function-throttles',
      'sweeper-heartbeat',
      'table-throttles',
      'tick-throttles',
      'unreadable-messages',
    ]);
    expect(JSON.stringify(alarm('acquirer-heartbeat', { metrics: 'off' }).Metrics)).toContain('started - failed');
  });

  it('use no more metrics than an alarm may', () => {
    const workers = { default: { entry: WORKER_ENTRY, groups: true } };
    for (const { Metrics = [] } of alarms({ workers }))
      expect(Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length).toBeLessThanOrEqual(10);
  });

  it('tell the topic that is given, and have thresholds that can be chosen', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const topic = new Topic(stack, 'Alarms');
    const alarmOptions = { topic, oldestReadyAge: Duration.minutes(1), timerLag: Duration.seconds(30) };
    new JobExecutor(stack, 'Jobs', { workers: { default: { entry: WORKER_ENTRY } }, alarmOptions });
    const made = Object.values(resources(Template.fromStack(stack), 'AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties as unknown as AlarmProperties,
    );
    for (const { AlarmActions } of made) expect(AlarmActions).toHaveLength(1);
    expect(made.find(({ MetricName }) => MetricName === 'OldestReadyAge')?.Threshold).toBe(60_000);
    expect(made.find(({ MetricName }) => MetricName === 'TimerLag')?.Threshold).toBe(30_000);
  });
});
