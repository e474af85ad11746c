import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import type { WorkerProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import { ENVIRONMENT } from '../../shared/config/environment.ts';
import { actionsOn, executorStack, executorTemplate, quickApp, type Resource, resources, statementsOf, WORKER_ENTRY } from './synth.ts';

const worker = (props: Partial<WorkerProps>): { workers: Record<string, WorkerProps> } => ({
  workers: { default: { entry: WORKER_ENTRY, ...props } },
});
const LANES = { urgent: { from: 10, maxConcurrency: 20, batchSize: 1 }, default: { to: 9 } };
/** As many as there may be: all below 1, one for each of 1 to 8, all above. */
const TEN = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`lane-${n}`, { ...(n === 0 ? {} : { from: n }), ...(n === 9 ? {} : { to: n }) }]),
);
const TWO_LANES = worker({ lanes: LANES, timersFirst: true, priority: 3 });

/** What the functions read of their workers; CDK tokens stand for URLs. */
function workersOf(template: Template): unknown {
  const [fn] = Object.values(resources(template, 'AWS::Lambda::Function'));
  const environment = fn?.Properties['Environment'] as { Variables: Record<string, { 'Fn::Join': [string, unknown[]] }> } | undefined;
  const deps = environment?.Variables[ENVIRONMENT.workers]?.['Fn::Join'][1] ?? [];
  return JSON.parse(deps.map((part) => (typeof part === 'string' ? part : 'url')).join(''));
}

/** Concurrency and batch size by the queue that feeds an event source. */
function sources(template: Template): Readonly<Record<string, unknown>> {
  const mappings = Object.values(resources(template, 'AWS::Lambda::EventSourceMapping'));
  return Object.fromEntries(
    mappings.map(({ Properties }) => {
      const [id] = (Properties['EventSourceArn'] as { 'Fn::GetAtt': string[] })['Fn::GetAtt'];
      const { MaximumConcurrency } = Properties['ScalingConfig'] as { MaximumConcurrency: number };
      return [(id ?? '').replace(/^.*Queues|[0-9A-F]{8}$/g, ''), [MaximumConcurrency, Properties['BatchSize']]];
    }),
  );
}

describe('the lanes of a worker', () => {
  it('each have a queue and an event source with a concurrency of its own', () => {
    expect(sources(executorTemplate(TWO_LANES))).toEqual({ Laneurgent: [20, 1], Lanedefault: [50, 10], Lanetimers: [50, 10] });
  });

  it('stand beside the one FIFO queue of grouped jobs', () => {
    expect(Object.keys(sources(executorTemplate(worker({ lanes: LANES, groups: true }))))).toEqual(['Laneurgent', 'Lanedefault', 'Fifo']);
  });

  it('and the priority of the worker are what its functions read', () => {
    expect(workersOf(executorTemplate(TWO_LANES))).toEqual({
      default: {
        lanes: { urgent: 'url', default: 'url', timers: 'url' },
        from: { urgent: 10 },
        priority: 3,
        deadLetterQueue: 'url',
      },
    });
  });

  it('cost a worker that names none nothing, not even a byte of its environment', () => {
    const template = executorTemplate(worker({}));
    expect(sources(template)).toEqual({ Lanedefault: [50, 10] });
    expect(workersOf(template)).toEqual({ default: { lanes: { default: 'url' }, deadLetterQueue: 'url' } });
  });

  it('may all be received from by the executor and sent to by every producer', () => {
    const { stack, jobs } = executorStack(TWO_LANES);
    jobs.connect(jobs.sweeperFunction);
    const template = Template.fromStack(stack);
    for (const lane of ['Laneurgent', 'Lanedefault', 'Lanetimers']) {
      expect(actionsOn(statementsOf(template, 'Executor'), lane)).toContain('sqs:ReceiveMessage');
      for (const who of ['Executor', 'Acquirer', 'Sweeper'])
        expect(actionsOn(statementsOf(template, who), lane)).toContain('sqs:SendMessage');
    }
  });

  it('are each watched and shown by themselves, where there are several', () => {
    const alarms = (template: Template): readonly Resource[] =>
      Object.entries(resources(template, 'AWS::CloudWatch::Alarm')).flatMap(([id, alarm]) => (id.includes('laneage') ? [alarm] : []));
    const made = alarms(executorTemplate(TWO_LANES));
    expect(made).toHaveLength(3);
    // The delay horizon, for which a message may lie before its job is due, and the fifteen minutes of `oldestReadyAge`.
    for (const { Properties } of made) expect(Properties).toMatchObject({ MetricName: 'ApproximateAgeOfOldestMessage', Threshold: 1_800 });
    expect(alarms(executorTemplate(worker({})))).toEqual([]);
    const dashboard = JSON.stringify(resources(executorTemplate(TWO_LANES), 'AWS::CloudWatch::Dashboard'));
    for (const lane of ['urgent', 'default', 'timers']) expect(dashboard).toContain(`\\"label\\":\\"${lane}\\"`);
  });

  it('are known to functions of another stack', () => {
    const { jobs } = executorStack(TWO_LANES);
    const { laneFrom, priority, laneQueueArns } = jobs.attributes.workers['default'] ?? {};
    expect([laneFrom, priority, Object.keys(laneQueueArns ?? {})]).toEqual([{ urgent: 10 }, 3, ['timers', 'urgent', 'default']]);
    const other = JobExecutor.fromJobExecutorAttributes(new Stack(quickApp(), 'Other'), 'Jobs', {
      deploymentName: 'shop',
      tableArns: Object.fromEntries(
        ['jobs', 'timers', 'deadLetters', 'suspended', 'control', 'history'].map((name) => [name, `arn:aws:dynamodb:x:1:table/${name}`]),
      ) as never,
      workers: {
        default: { laneQueueArns: { urgent: 'arn:aws:sqs:x:1:u', default: 'arn:aws:sqs:x:1:d' }, laneFrom: { urgent: 10 }, priority: 3 },
      },
    }) as unknown as { clientEnvironment(): Record<string, string> };
    expect(JSON.parse(other.clientEnvironment()[ENVIRONMENT.workers] ?? '')).toMatchObject({
      default: { from: { urgent: 10 }, priority: 3 },
    });
  });
});

describe('lanes that cannot work', () => {
  it('do not begin before there are more than ten', () => {
    expect(Object.keys(sources(executorTemplate(worker({ lanes: TEN }))))).toHaveLength(10);
  });

  it.each([
    ['a gap', { lanes: { urgent: { from: 10 }, default: { to: 8 } } }, 'workers.default.lanes.urgent.from: priority 9 belongs to no lane'],
    ['an overlap', { lanes: { urgent: { from: 9 }, default: { to: 9 } } }, 'workers.default.lanes.urgent: default and urgent both take'],
    ['more than ten', { lanes: TEN, timersFirst: true }, 'workers.default.lanes: 11 lanes are more than the 10 queues'],
    ['no lane at all', { lanes: {} }, 'workers.default.lanes: there is no lane'],
    ['a list', { lanes: [] as never }, 'workers.default.lanes: '],
    ['a name of ours', { lanes: { timers: {} } }, 'workers.default.lanes.timers: this name is reserved'],
    [
      'one executor at a time',
      { lanes: { default: { maxConcurrency: 1 } } },
      'workers.default.lanes.default.maxConcurrency: 1 is less than an event source allows',
    ],
    ['a batch without a window', { lanes: { default: { batchSize: 100 } } }, 'workers.default.settings.batchWindow: 0 ms'],
    [
      'an option that there is not',
      { lanes: { default: { min: 3 } as never } },
      'workers.default.lanes.default.min: is no option of a lane',
    ],
    ['a priority that is none', { priority: 1.5 }, 'workers.default.priority: 1.5 is no priority'],
    ['a switch that is none', { timersFirst: 'yes' as never }, 'workers.default.timersFirst: "yes"'],
    [
      'fewer sandboxes than all lanes together start',
      { lanes: LANES, functionProps: { reservedConcurrentExecutions: 69 } },
      'workers.default.functionProps.reservedConcurrentExecutions: 69 is less than the 70',
    ],
  ] as const)('are refused when the app is synthesized: %s', (_, props, message) => {
    expect(() => executorStack(worker(props))).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(message) as string }),
    );
  });
});
