import { expect, test } from 'vitest';
import { ALARM_METRICS } from '../../cli/cost/unit-counts.ts';
import { executorTemplate, resources } from './synth.ts';

const count = (type: string): number => Object.keys(resources(executorTemplate(), type)).length;

test('a deployment with its defaults has the queue, ticks, alarms and dashboard that `nightcrew cost` counts', () => {
  // CloudWatch charges an alarm on metric math for each metric that it reads.
  const metrics = Object.values(resources(executorTemplate(), 'AWS::CloudWatch::Alarm')).map(({ Properties }) => {
    const { Metrics = [] } = Properties as { readonly Metrics?: readonly { readonly MetricStat?: unknown }[] };
    return Metrics.length === 0 ? 1 : Metrics.filter(({ MetricStat }) => MetricStat !== undefined).length;
  });
  expect(metrics.reduce((sum, one) => sum + one, 0)).toBe(ALARM_METRICS);
  expect(count('AWS::Lambda::EventSourceMapping')).toBe(1);
  expect(count('AWS::Scheduler::Schedule')).toBe(2);
  expect(count('AWS::CloudWatch::Dashboard')).toBe(1);
});
