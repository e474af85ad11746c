import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import type { WorkerProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { quickApp, WORKER_ENTRY } from './synth.ts';

const LANES = { urgent: { from: 10 }, default: { to: 9 } };

/** One of ten ranges: all below 1, one for each of 1 to 8, all above. */
const rangeOf = (n: number) => ({ ...(n === 0 ? {} : { from: n }), ...(n === 9 ? {} : { to: n }) });

function stackOf(count: number, props: Partial<WorkerProps>): { readonly stack: Stack; readonly jobs: JobExecutor } {
  const stack = new Stack(quickApp(), 'Shop');
  const workers = Object.fromEntries(Array.from({ length: count }, (_, n) => [`worker-${n}`, { entry: WORKER_ENTRY, ...props }]));
  return { stack, jobs: new JobExecutor(stack, 'Jobs', { workers, alarms: false, dashboard: false }) };
}

describe('the environment of the functions', () => {
  it('fits with six workers that have two lanes and groups', () => {
    expect(() => Template.fromStack(stackOf(6, { lanes: LANES, groups: true }).stack)).not.toThrow();
  });

  it('is refused when the app is synthesized if it does not fit, with what to do', () => {
    const lanes = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`lane-of-rather-special-jobs-${n}`, rangeOf(n)]));
    expect(() => Template.fromStack(stackOf(3, { lanes }).stack)).toThrow(
      /environment: the variables of Shop\/Jobs\/\S+ take about \d+ bytes, and Lambda takes 4096.*use fewer lanes and workers/s,
    );
  });

  it('is looked at as a whole: the variables of a connected function count', () => {
    const { stack, jobs } = stackOf(2, {});
    const fn = new LambdaFunction(stack, 'Orders', { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('0') });
    jobs.connect(fn);
    fn.addEnvironment('CATALOGUE', 'x'.repeat(3_500));
    expect(() => Template.fromStack(stack)).toThrow(/environment: the variables of Shop\/Orders take about/);
  });
});
