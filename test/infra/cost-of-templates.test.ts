import { RemovalPolicy } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { total } from '../../cli/cost/bill.ts';
import { idleLines } from '../../cli/cost/idle-lines.ts';
import { type IdleParts, oneLane } from '../../cli/cost/idle-parts.ts';
import { partsOfTemplate } from '../../cli/cost/read-template.ts';
import { runCli } from '../../cli/run-cli.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { OrderServiceStack } from '../../infra/order-service-stack.ts';
import { fakeTerminal } from '../cli/fake-terminal.ts';
import { executorTemplate, quickApp, WORKER_ENTRY } from './synth.ts';

const partsOf = (props: Partial<JobExecutorProps>): IdleParts => partsOfTemplate(executorTemplate(props).toJSON());
const costing = (parts: IdleParts): IdleParts => ({ ...parts, free: {} });
const usd = (parts: IdleParts): string => total(idleLines(parts)).toFixed(2);
const UNWATCHED = { alarms: false, dashboard: false } as const;
const BARE = { ...UNWATCHED, metrics: 'off', tracing: Tracing.DISABLED } as const;

describe('a synthesized template costs while nothing happens', () => {
  it('80 cents a month with one lane and neither alarms nor a dashboard: metrics without a reader are not published', () => {
    const parts = partsOf(UNWATCHED);
    expect(costing(parts)).toEqual(costing(oneLane(UNWATCHED)));
    expect(usd(parts)).toBe('0.80');
  });

  it('no less without any metrics and traces', () => {
    const parts = partsOf(BARE);
    expect(costing(parts)).toEqual(costing(oneLane({ alarms: false, dashboard: false, metrics: false, tracing: false })));
    expect(usd(parts)).toBe('0.80');
  });

  it('what is asked for: metrics and traces', () => {
    expect(partsOf({ ...UNWATCHED, metrics: 'worker' })).toMatchObject({ ownMetrics: true, tickMetrics: true });
    expect(partsOf({ ...UNWATCHED, dashboard: true })).toMatchObject({ ownMetrics: true, tickMetrics: true });
    expect(partsOf({ ...UNWATCHED, alarms: true })).toMatchObject({ ownMetrics: true, tickMetrics: true });
    expect(partsOf(UNWATCHED)).toMatchObject({ ownMetrics: true, tickMetrics: false });
    expect(partsOf({ ...UNWATCHED, metrics: 'off' })).toMatchObject({ ownMetrics: false, tickMetrics: false });
    expect(usd(partsOf({ ...UNWATCHED, metrics: 'worker', tracing: Tracing.ACTIVE }))).toBe('2.43');
  });

  it('7.70 dollars with all that a deployment has by default', () => {
    const parts = partsOf({});
    expect(costing(parts)).toEqual(costing(oneLane()));
    expect(usd(parts)).toBe('7.70');
  });

  it('8.22 dollars as the order service, whose tables, queues and log groups cost nothing while they are empty', async () => {
    const stack = new OrderServiceStack(quickApp(), 'Orders', { removalPolicy: RemovalPolicy.DESTROY });
    const parts = partsOfTemplate(Template.fromStack(stack).toJSON());
    expect(costing(parts)).toEqual(costing(oneLane({ fifo: true })));
    expect(parts.free).toEqual({ 'AWS::DynamoDB::GlobalTable': 7, 'AWS::Logs::LogGroup': 4, 'AWS::SQS::Queue': 6 });
    expect(usd(parts)).toBe('8.22');
    const terminal = fakeTerminal({ readText: async () => Promise.resolve(JSON.stringify(Template.fromStack(stack).toJSON())) });
    expect(await runCli(['cost', '--template', 'cdk.out/Orders.template.json'], terminal.io)).toBe(0);
    expect(terminal.out()).toContain('Nothing while empty: 7 AWS::DynamoDB::GlobalTable, 4 AWS::Logs::LogGroup, 6 AWS::SQS::Queue.');
    expect(terminal.out()).toContain('Total: $8.22 a month\n');
    expect(terminal.out()).not.toContain('Not counted');
  });

  it('what its lanes, acquirers, intervals and warm sandboxes say', () => {
    const lanes = { urgent: { from: 10 }, default: { to: 9 } };
    const parts = partsOf({
      ...BARE,
      workers: { default: { entry: WORKER_ENTRY, lanes } },
      settings: { acquirers: 4, provisionedConcurrency: 2 },
    });
    expect(parts).toMatchObject({ queues: { standard: 2, fifo: 0 }, warmGb: 1, ownMetrics: false });
    expect(parts.ticks.map(({ of, share }) => [of, share])).toEqual([
      ...Array.from({ length: 4 }, () => ['acquirer', 0.25]),
      ['sweeper', 1],
    ]);
  });

  it('alarms without own metrics watch as many as `nightcrew cost --no-metrics` says', () => {
    expect(costing(partsOf({ metrics: 'off' }))).toEqual(costing(oneLane({ metrics: false })));
  });

  it('nothing by ticks that are switched off, and no Scheduler with rules', () => {
    expect(partsOf({ ...BARE, active: false })).toMatchObject({ ticks: [], queues: { standard: 0, fifo: 0 } });
    const byRule = partsOf({ ...BARE, ticks: 'rules' });
    expect(byRule.ticks.map(({ of, by }) => [of, by])).toEqual([
      ['acquirer', 'rule'],
      ['sweeper', 'rule'],
    ]);
    expect(idleLines(byRule).some(({ price }) => price === 'scheduledTick')).toBe(false);
  });
});
