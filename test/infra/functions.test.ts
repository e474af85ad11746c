import { Duration, Size, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { JobExecutorProps } from '../../infra/job-executor-props.ts';
import { decodeEnvironment, type Deployment } from '../../shared/config/environment.ts';
import { executorTemplate, WORKER_ENTRY, quickApp, resources, statementsOf } from './synth.ts';

interface FunctionProperties {
  readonly Description: string;
  readonly Runtime: string;
  readonly Architectures: readonly string[];
  readonly Handler: string;
  readonly MemorySize: number;
  readonly Timeout: number;
  readonly RecursiveLoop?: string;
  readonly TracingConfig?: { readonly Mode: string };
  readonly LoggingConfig: { readonly LogFormat: string; readonly LogGroup: unknown };
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
}

const WORKERS = { default: { entry: WORKER_ENTRY, groups: true }, reports: { entry: WORKER_ENTRY } };

function functions(props: Partial<JobExecutorProps> = { workers: WORKERS }): Readonly<Record<string, FunctionProperties>> {
  const all = Object.values(resources(executorTemplate(props), 'AWS::Lambda::Function')).map(
    ({ Properties }) => Properties as unknown as FunctionProperties,
  );
  return Object.fromEntries(all.map((fn) => [fn.Description.replace(/^Nightcrew (.*?):.*$/, '$1'), fn]));
}

/** The variables as a function would read them: what CloudFormation fills in becomes a text. */
function environmentOf(fn: FunctionProperties | undefined): Deployment {
  const text = (value: unknown): string => {
    if (typeof value === 'string') return value;
    const join = (value as { 'Fn::Join'?: [string, unknown[]] })['Fn::Join'];
    return join === undefined ? JSON.stringify(Object.values(value as object)).replaceAll(/[^\w.]/g, '') : join[1].map(text).join('');
  };
  return decodeEnvironment(Object.fromEntries(Object.entries(fn?.Environment.Variables ?? {}).map(([name, value]) => [name, text(value)])));
}

describe('the functions', () => {
  it('are an executor per worker, an acquirer and a sweeper', () => {
    expect(Object.keys(functions()).toSorted()).toEqual([
      'acquirer',
      'executor of worker default',
      'executor of worker reports',
      'sweeper',
    ]);
  });

  it('know the former names of a worker', () => {
    const all = functions({ workers: { mail: { entry: WORKER_ENTRY, formerly: ['default'] } } });
    for (const fn of Object.values(all)) {
      const { workers } = environmentOf(fn);
      expect(workers.get('mail')).toMatchObject({ formerly: ['default'] });
      expect(workers.get('default')).toBe(workers.get('mail'));
    }
    expect(environmentOf(Object.values(functions())[0]).workers.get('default')).not.toHaveProperty('formerly');
  });

  it('run on Node 24 on arm64 with source maps, JSON logs and a log group that is not kept forever', () => {
    for (const fn of Object.values(functions())) {
      expect(fn).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        Handler: 'index.handler',
        LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: expect.any(String) as string } },
      });
      expect(fn.Environment.Variables['NODE_OPTIONS']).toBe('--enable-source-maps');
    }
    const groups = Object.values(resources(executorTemplate(), 'AWS::Logs::LogGroup'));
    expect(groups.map(({ Properties }) => Properties['RetentionInDays'])).toEqual([30, 30, 30]);
  });

  it('trace executors, and ticks only where that is asked for', () => {
    const traced = (all: ReturnType<typeof functions>): readonly string[] =>
      Object.entries(all)
        .filter(([, fn]) => fn.TracingConfig?.Mode === 'Active')
        .map(([name]) => name);
    expect(traced(functions())).toEqual(['executor of worker default', 'executor of worker reports']);
    expect(traced(functions({ workers: WORKERS, tracing: Tracing.ACTIVE }))).toHaveLength(4);
    expect(traced(functions({ workers: WORKERS, tracing: Tracing.DISABLED }))).toEqual([]);
  });

  it('let chains of jobs go on in executors only', () => {
    const loops = Object.entries(functions()).map(([name, { RecursiveLoop }]) => [name, RecursiveLoop]);
    expect(Object.fromEntries(loops)).toEqual({
      'executor of worker default': 'Allow',
      'executor of worker reports': 'Allow',
      acquirer: undefined,
      sweeper: undefined,
    });
  });

  it('take timeouts and memory from the settings, and those of a worker before those of the deployment', () => {
    const made = functions({
      settings: { executorTimeout: Duration.minutes(2), sweeperTimeout: Duration.seconds(30), acquirerMemory: Size.mebibytes(1024) },
      workers: {
        ...WORKERS,
        reports: { ...WORKERS.reports, settings: { executorTimeout: Duration.minutes(10), executorMemory: Size.gibibytes(2) } },
      },
    });
    expect(made['executor of worker default']).toMatchObject({ Timeout: 120, MemorySize: 512 });
    expect(made['executor of worker reports']).toMatchObject({ Timeout: 600, MemorySize: 2048 });
    expect(made['acquirer']).toMatchObject({ Timeout: 60, MemorySize: 1024 });
    expect(made['sweeper']).toMatchObject({ Timeout: 30, MemorySize: 512 });
  });

  it('find the whole deployment in their environment', () => {
    const made = functions({ workers: WORKERS, settings: { crashLimit: 7 }, history: 'durable', metrics: 'type' });
    const executor = environmentOf(made['executor of worker default']);
    expect(executor).toMatchObject({
      worker: 'default',
      history: 'durable',
      metrics: 'type',
      name: expect.stringMatching(/^Shop-?Jobs/) as string,
    });
    expect(executor.settings.crashLimit).toBe(7);
    expect(Object.keys(executor.tables)).toHaveLength(6);
    expect([...executor.workers.keys()]).toEqual(['default', 'reports']);
    expect(Object.keys(executor.workers.get('default') ?? {}).toSorted()).toEqual([
      'deadLetterQueue',
      'fifo',
      'fifoDeadLetterQueue',
      'lanes',
    ]);
    expect(environmentOf(made['sweeper'])).toMatchObject({ history: 'durable', metrics: 'type' });
    expect(environmentOf(made['sweeper'])).not.toHaveProperty('worker');
  });

  it('read settings of a worker only in its own executor', () => {
    const made = functions({ workers: { ...WORKERS, reports: { ...WORKERS.reports, settings: { batchSize: 2 } } } });
    expect(environmentOf(made['executor of worker reports']).settings.batchSize).toBe(2);
    expect(environmentOf(made['executor of worker default']).settings.batchSize).toBe(10);
  });

  it('take overrides, of all functions and of one worker, without losing their own environment', () => {
    const made = functions({
      functionProps: { environment: { SHARED: '1', BOTH: 'all' } },
      workers: {
        default: {
          entry: WORKER_ENTRY,
          environment: { OWN: '2' },
          functionProps: { environment: { BOTH: 'one' }, reservedConcurrentExecutions: 9 },
          settings: { maxConcurrency: 9 },
        },
      },
    });
    expect(made['executor of worker default']?.Environment.Variables).toMatchObject({
      SHARED: '1',
      OWN: '2',
      BOTH: 'one',
      NIGHTCREW_WORKER: 'default',
    });
    expect(made['executor of worker default']).toMatchObject({ ReservedConcurrentExecutions: 9 });
    expect(made['sweeper']?.Environment.Variables).toMatchObject({ SHARED: '1', BOTH: 'all' });
    expect(made['sweeper']).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('take what is undefined as not given', () => {
    const made = functions({
      functionProps: { runtime: undefined, deadLetterQueue: undefined, logGroup: undefined, environment: { DSN: undefined } } as never,
      workers: {
        default: {
          entry: WORKER_ENTRY,
          environment: { DSN: undefined, SHOP: undefined } as never,
          functionProps: { description: undefined, environment: { NODE_OPTIONS: undefined } } as never,
        },
      },
    });
    const { Environment, ...plain } = functions({ workers: { default: { entry: WORKER_ENTRY } } })['executor of worker default'] ?? {};
    expect(made['executor of worker default']).toMatchObject({ Runtime: 'nodejs24.x', ...plain });
    expect(made['executor of worker default']?.Environment.Variables).toEqual(Environment?.Variables);
  });

  it.each(['all functions', 'one worker'])('may write to the log group that overrides of %s name, and to no other', (whose) => {
    const stack = new Stack(quickApp(), 'Shop');
    const functionProps = { logGroup: new LogGroup(stack, 'Own') };
    const worker = { entry: WORKER_ENTRY, ...(whose === 'one worker' ? { functionProps } : {}) };
    new JobExecutor(stack, 'Jobs', { workers: { default: worker }, ...(whose === 'one worker' ? {} : { functionProps }) });
    const template = Template.fromStack(stack);
    const granted = statementsOf(template, 'Executor').filter(({ Action }) => Action.includes('logs:PutLogEvents'));
    expect(granted).toHaveLength(1);
    expect(JSON.stringify(granted)).toContain('"Own');
    expect(JSON.stringify(granted)).not.toContain('"Jobs');
    expect(Object.keys(resources(template, 'AWS::Logs::LogGroup'))).toHaveLength(whose === 'one worker' ? 3 : 1);
  });

  it('can be told apart: overrides of the acquirer and the sweeper are theirs alone', () => {
    const made = functions({
      functionProps: { environment: { SHARED: '1' } },
      acquirer: { functionProps: { environment: { OF: 'acquirer' } } },
      sweeper: { functionProps: { reservedConcurrentExecutions: 1 } },
    });
    expect(made['acquirer']?.Environment.Variables).toMatchObject({ SHARED: '1', OF: 'acquirer' });
    expect(made['sweeper']?.Environment.Variables).not.toHaveProperty('OF');
    expect(made['sweeper']).toMatchObject({ ReservedConcurrentExecutions: 1 });
    expect(made['acquirer']).not.toHaveProperty('ReservedConcurrentExecutions');
  });

  it('have concurrency of their own for ticks where that is reserved: one more than ticks come at once', () => {
    const made = functions({ workers: WORKERS, reserveTicks: true, settings: { acquirers: 3 } });
    const reserved = Object.entries(made).map(([name, fn]) => [
      name,
      (fn as { ReservedConcurrentExecutions?: number }).ReservedConcurrentExecutions,
    ]);
    expect(Object.fromEntries(reserved)).toEqual({
      acquirer: 4,
      sweeper: 2,
      'executor of worker default': undefined,
      'executor of worker reports': undefined,
    });
  });

  it('can be made of code that is bundled already', () => {
    const stack = new Stack(quickApp(), 'Shop');
    const code = Code.fromInline('exports.run = async () => ({ batchItemFailures: [] });');
    const jobs = new JobExecutor(stack, 'Jobs', { workers: { default: { code, handler: 'index.run' } } });
    expect(jobs.executorFunction()).toBe(jobs.workers.get('default')?.fn);
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', { Handler: 'index.run' });
  });
});

describe('the event sources', () => {
  const sources = (props: Partial<JobExecutorProps> = { workers: WORKERS }) =>
    Object.values(resources(executorTemplate(props), 'AWS::Lambda::EventSourceMapping')).map(({ Properties }) => Properties);

  it('report each job of a batch by itself and keep within the concurrency limit', () => {
    expect(sources()).toHaveLength(3);
    for (const source of sources()) {
      expect(source).toMatchObject({
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 50 },
        Enabled: true,
        BatchSize: 10,
      });
    }
  });

  it('take large batches with a window from standard queues, ten at once and no window from FIFO queues', () => {
    const [lane, fifo] = sources({
      workers: { default: WORKERS.default },
      settings: { batchSize: 500, batchWindow: Duration.seconds(2), maxConcurrency: 7 },
    });
    expect(lane).toMatchObject({ BatchSize: 500, MaximumBatchingWindowInSeconds: 2, ScalingConfig: { MaximumConcurrency: 7 } });
    expect(fifo).toMatchObject({ BatchSize: 10 });
    expect(fifo).not.toHaveProperty('MaximumBatchingWindowInSeconds');
  });

  it('have no limit where none is wanted, and pollers of their own in its place, those of a lane before those of its worker', () => {
    const unlimited = sources({ workers: WORKERS, settings: { maxConcurrency: 0 } });
    expect(unlimited).toHaveLength(3);
    for (const source of unlimited) {
      expect(source).not.toHaveProperty('ScalingConfig');
      expect(source).not.toHaveProperty('ProvisionedPollerConfig');
    }
    const lanes = { urgent: { from: 10, pollers: { minimum: 5, maximum: 20 } }, default: { to: 9 } };
    const polled = sources({ workers: { default: { entry: WORKER_ENTRY, groups: true, lanes, pollers: { minimum: 3 } } } });
    expect(polled.map(({ ProvisionedPollerConfig }) => ProvisionedPollerConfig)).toEqual([
      { MinimumPollers: 5, MaximumPollers: 20 },
      { MinimumPollers: 3 },
      { MinimumPollers: 3 },
    ]);
    for (const source of polled) expect(source).not.toHaveProperty('ScalingConfig');
  });

  it('feed warm sandboxes where they are asked for', () => {
    const template = executorTemplate({ settings: { provisionedConcurrency: 3 } });
    const aliases = Object.values(resources(template, 'AWS::Lambda::Alias'));
    expect(aliases.map(({ Properties }) => Properties['ProvisionedConcurrencyConfig'])).toEqual([
      { ProvisionedConcurrentExecutions: 3 },
      undefined,
      undefined,
    ]);
  });

  it('are made after the role may read the queue', () => {
    const template = executorTemplate();
    const [source] = Object.values(resources(template, 'AWS::Lambda::EventSourceMapping')) as unknown as readonly {
      readonly DependsOn: readonly string[];
    }[];
    const policies = Object.keys(resources(template, 'AWS::IAM::Policy')).filter((id) => id.includes('Executor'));
    expect(source?.DependsOn).toEqual(expect.arrayContaining(policies));
  });
});
