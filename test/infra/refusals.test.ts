import { Duration, Size } from 'aws-cdk-lib';
import { ApplicationLogLevel, Code } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import { JobExecutor } from '../../infra/job-executor.ts';
import { SETTINGS } from '../../shared/config/settings.ts';
import { executorStack, WORKER_ENTRY } from './synth.ts';

describe('a configuration that cannot work', () => {
  const worker = { entry: WORKER_ENTRY };
  const OWN = { NIGHTCREW_TABLES: '{}' };
  it.each([
    [
      'a timeout below its range',
      { settings: { executorTimeout: Duration.seconds(1) } },
      'settings.executorTimeout: Duration.seconds(1) is outside',
    ],
    ['a fraction of a second', { settings: { executorTimeout: Duration.millis(10_500) } }, 'settings.executorTimeout: 10500 ms'],
    ['a fraction of a minute', { settings: { acquirerInterval: Duration.seconds(90) } }, 'settings.acquirerInterval: 90000 ms'],
    [
      'a lease margin below twice the clock skew',
      { settings: { leaseMargin: Duration.seconds(1) } },
      'settings.leaseMargin: Duration.seconds(1)',
    ],
    [
      'a first redispatch that a frozen producer outlasts',
      { settings: { firstRedispatchAfter: Duration.minutes(5) } },
      'settings.firstRedispatchAfter: 300000 ms is less',
    ],
    ['a large batch without a window', { settings: { batchSize: 100 } }, 'settings.batchWindow: 0 ms'],
    ['one executor at a time', { settings: { maxConcurrency: 1 } }, 'settings.maxConcurrency: 1 is less'],
    [
      'a number where a Duration belongs',
      { settings: { executorTimeout: 60 as never } },
      'settings.executorTimeout: 60 has the wrong type',
    ],
    [
      'a Duration where a Size belongs',
      { settings: { executorMemory: Duration.seconds(1) as never } },
      'settings.executorMemory: an object has',
    ],
    ['a setting that does not exist', { settings: { executorTimeOut: Duration.seconds(30) } as never }, 'Did you mean executorTimeout?'],
    ['a horizon that a late and a missed tick outlast', { settings: { horizon: Duration.millis(179_999) } }, 'settings.horizon: 179999 ms'],
    [
      'an interval that the default horizon does not cover',
      { settings: { acquirerInterval: Duration.minutes(3) } },
      'settings.horizon: 300000 ms',
    ],
    [
      'an interval that no horizon covers',
      { settings: { acquirerInterval: Duration.minutes(8) } },
      'settings.acquirerInterval: Duration.minutes(8)',
    ],
    [
      'a timer that its producer may still be writing when it is fired',
      { settings: { delayHorizon: Duration.minutes(10) } },
      'settings.delayHorizon: 600000 ms',
    ],
    ['a former name that is no list', { workers: { default: { ...worker, formerly: 'old' as never } } }, 'workers.default.formerly: "old"'],
    ['a former name that is none', { workers: { default: { ...worker, formerly: ['Old'] } } }, 'workers.default.formerly: "Old"'],
    ['its own name as a former one', { workers: { default: { ...worker, formerly: ['default'] } } }, 'a name of worker default'],
    [
      'a former name that another worker has',
      { workers: { mail: { ...worker, formerly: ['default'] }, default: worker } },
      'workers.mail.formerly: "default" is a name of worker default',
    ],
    [
      'a former name that another worker had',
      { workers: { mail: { ...worker, formerly: ['old'] }, default: { ...worker, formerly: ['old'] } } },
      'workers.default.formerly: "old" is a name of worker mail',
    ],
    ['a history that is none', { history: 'on' as never }, 'history: "on"'],
    ['metrics that are none', { metrics: true as never }, 'metrics: true is not one of worker, type, off, { types: [...] }'],
    ['metrics of no type', { metrics: { types: [] } }, "names 0 types. Name 1 to 20, or use 'type' for all"],
    ['metrics of more types than 20', { metrics: { types: Array.from({ length: 21 }, (_, n) => `t${n}`) } }, 'names 21 types'],
    ['metrics of a type that is none', { metrics: { types: [''] } }, 'names a type that is not a string'],
    ['metrics of a type twice', { metrics: { types: ['a', 'a'] } }, 'names a type twice'],
    ['a key that is only its ARN', { encryptionKey: 'arn:aws:kms:eu-west-1:1:key/1' as never }, 'encryptionKey: "arn:aws:kms'],
    ['ticks that are none', { ticks: 'cron' as never }, 'ticks: "cron"'],
    ['our own variable for all functions', { functionProps: { environment: OWN } }, 'functionProps.environment.NIGHTCREW_TABLES'],
    [
      'our own variable for a worker',
      { workers: { default: { ...worker, environment: OWN } } },
      'workers.default.environment.NIGHTCREW_TABLES',
    ],
    [
      'our own variable in the overrides of a worker',
      { workers: { default: { ...worker, functionProps: { environment: OWN } } } },
      'workers.default.functionProps.environment.NIGHTCREW_TABLES',
    ],
    [
      'fewer sandboxes than executors',
      { workers: { default: { ...worker, functionProps: { reservedConcurrentExecutions: 49 } } } },
      'workers.default.functionProps.reservedConcurrentExecutions: 49',
    ],
    [
      'fewer sandboxes than the executors of two queues',
      { functionProps: { reservedConcurrentExecutions: 99 } },
      'functionProps.reservedConcurrentExecutions: 99 would be reserved for each function. Give it to functionProps of a worker',
    ],
    [
      'one name for all functions',
      { functionProps: { functionName: 'jobs' } },
      'functionProps.functionName: "jobs" would be the name of each function. Give it to functionProps of a worker',
    ],
    [
      'a log level that drops metrics',
      { functionProps: { applicationLogLevelV2: ApplicationLogLevel.WARN } },
      'functionProps.applicationLogLevelV2: WARN drops the metrics',
    ],
    [
      'a log level of a worker that drops metrics',
      { workers: { default: { ...worker, functionProps: { applicationLogLevel: 'ERROR' } } } },
      'workers.default.functionProps.applicationLogLevel: ERROR drops the metrics',
    ],
    [
      'a variable that switches metrics off behind the alarms',
      { functionProps: { environment: { POWERTOOLS_METRICS_DISABLED: 'true' } } },
      'functionProps.environment.POWERTOOLS_METRICS_DISABLED',
    ],
    [
      'reserved sandboxes for a worker without a limit',
      { workers: { default: { ...worker, settings: { maxConcurrency: 0 }, functionProps: { reservedConcurrentExecutions: 9 } } } },
      'reservedConcurrentExecutions: 9 cannot hold a worker whose maxConcurrency is 0',
    ],
    [
      'reserved sandboxes for fewer than the pollers run',
      { workers: { default: { ...worker, pollers: { maximum: 5 }, functionProps: { reservedConcurrentExecutions: 49 } } } },
      'reservedConcurrentExecutions: 49 is less than the 50 executors',
    ],
    [
      'reserved ticks twice',
      { reserveTicks: true, sweeper: { functionProps: { reservedConcurrentExecutions: 2 } } },
      'sweeper.functionProps.reservedConcurrentExecutions: 2 contradicts reserveTicks',
    ],
    [
      'reserved ticks of the cleaner twice',
      { reserveTicks: true, largePayloads: { functionProps: { reservedConcurrentExecutions: 5 } } },
      'largePayloads.functionProps.reservedConcurrentExecutions: 5 contradicts reserveTicks',
    ],
    ['reserved ticks by a number', { reserveTicks: 2 as never }, 'reserveTicks: 2 is neither true nor false'],
    [
      'a log level of the acquirer that drops metrics',
      { acquirer: { functionProps: { applicationLogLevel: 'ERROR' } } },
      'acquirer.functionProps.applicationLogLevel: ERROR drops the metrics',
    ],
    [
      'a timeout in the overrides of the sweeper',
      { sweeper: { functionProps: { timeout: Duration.minutes(1) } } },
      'functionProps.timeout',
    ],
    ['a switch that is a word', { active: 'no' as never }, 'active: "no" is neither true nor false'],
    [
      'overrides of the acquirer by a number',
      { acquirer: 5 as never },
      'acquirer: 5 is no object with options of the acquirer. Use { functionProps: { ... } }.',
    ],
    [
      'an unknown option of the sweeper',
      { sweeper: { memorySize: 512 } as never },
      'sweeper.memorySize: is no option of the sweeper. Known are: functionProps.',
    ],
    [
      'overrides by a list',
      { functionProps: [] as never },
      'functionProps: an array are no overrides of a function. Use { vpc, layers, ... }.',
    ],
    [
      'overrides of a worker by nothing',
      { workers: { default: { ...worker, functionProps: null as never } } },
      'workers.default.functionProps: null are no overrides',
    ],
    ['overrides of the sweeper by a word', { sweeper: { functionProps: 'big' as never } }, 'sweeper.functionProps: "big" are no overrides'],
    ['pollers by a number', { workers: { default: { ...worker, pollers: 5 as never } } }, 'workers.default.pollers: 5 are no pollers'],
    [
      'an unknown option of pollers',
      { workers: { default: { ...worker, pollers: { min: 2 } as never } } },
      'workers.default.pollers.min: is no option',
    ],
    [
      'one poller',
      { workers: { default: { ...worker, pollers: { minimum: 1 } } } },
      'workers.default.pollers.minimum: 1 is outside its range. Use a whole number from 2 to 200',
    ],
    [
      'too many pollers',
      { workers: { default: { ...worker, pollers: { maximum: 2_001 } } } },
      'workers.default.pollers.maximum: 2001 is outside',
    ],
    [
      'more pollers always than at most',
      { workers: { default: { ...worker, pollers: { minimum: 9, maximum: 8 } } } },
      'workers.default.pollers.minimum: 9 is more than maximum (8). Use 8 or less.',
    ],
    [
      'a limit beside pollers',
      { workers: { default: { ...worker, lanes: { default: { maxConcurrency: 5, pollers: { minimum: 2 } } } } } },
      'workers.default.lanes.default.maxConcurrency: 5 cannot be combined with pollers',
    ],
    ['workers that are left out', { workers: undefined as never }, 'workers: '],
    ['workers that are null', { workers: null as never }, 'workers: '],
    ['a list of workers', { workers: [worker] as never }, 'workers: '],
    ['a worker that is null', { workers: { default: null as never } }, 'workers.default'],
    ['no worker', { workers: {} }, 'workers'],
    ['a worker name with capitals', { workers: { Default: worker } }, 'workers.Default'],
    ['a worker with the name of all', { workers: { all: worker } }, 'workers.all'],
    ['a worker without code', { workers: { default: {} } }, 'workers.default'],
    ['a worker with two kinds of code', { workers: { default: { ...worker, code: Code.fromInline('0') } } }, 'workers.default'],
    ['an entry that does not exist', { workers: { default: { entry: 'nowhere/worker.ts' } } }, 'workers.default.entry'],
    [
      'a setting of the deployment for one worker',
      { workers: { default: { ...worker, settings: { acquirers: 2 } } } },
      'workers.default.settings.acquirers',
    ],
    ['a timeout in the overrides', { functionProps: { timeout: Duration.minutes(9) } }, 'functionProps.timeout'],
    [
      'a role in the overrides of a worker',
      { workers: { default: { ...worker, functionProps: { role: null as never } } } },
      'functionProps.role',
    ],
  ] as const)('is refused when the app is synthesized, with the field named: %s', (_, props, field) => {
    expect(() => executorStack(props)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIGURATION', message: expect.stringContaining(field) as string }),
    );
  });

  it('takes a log level that drops metrics where none are published, and one that does not', () => {
    expect(() => executorStack({ metrics: 'off', functionProps: { applicationLogLevelV2: ApplicationLogLevel.FATAL } })).not.toThrow();
    expect(() => executorStack({ functionProps: { applicationLogLevelV2: ApplicationLogLevel.DEBUG } })).not.toThrow();
    const environment = { POWERTOOLS_METRICS_DISABLED: 'true' };
    expect(() => executorStack({ metrics: 'off', workers: { default: { ...worker, environment } } })).not.toThrow();
  });

  it('takes every limit of a range', () => {
    expect(() => executorStack({ settings: { executorMemory: Size.mebibytes(128), maxConcurrency: 2, acquirers: 64 } })).not.toThrow();
  });

  it('takes a horizon for every interval of the acquirer that is in its range', () => {
    for (let minutes = 1; minutes <= SETTINGS.acquirerIntervalMs.max / 60_000; minutes++) {
      const settings = { acquirerInterval: Duration.minutes(minutes), horizon: Duration.minutes(2 * minutes + 1) };
      expect(() => executorStack({ settings })).not.toThrow();
    }
  });

  it('says which of horizon and interval to change, and to what', () => {
    const acquirerInterval = Duration.minutes(4);
    expect(() => executorStack({ settings: { acquirerInterval } })).toThrow(
      'Use horizon of 9 minutes or more, or acquirerInterval of 2 minutes or less.',
    );
    expect(() => executorStack({ settings: { horizon: Duration.minutes(1) } })).toThrow(/Use horizon of 3 minutes or more\.$/);
  });

  it('takes as many reserved sandboxes as the queues may start', () => {
    const functionProps = { reservedConcurrentExecutions: 50 };
    expect(() => executorStack({ workers: { default: { ...worker, functionProps } } })).not.toThrow();
    const grouped = { ...worker, groups: true, settings: { maxConcurrency: 25 }, functionProps };
    expect(() => executorStack({ workers: { default: grouped } })).not.toThrow();
  });

  it.each(['history', 'metrics'] as const)('is refused for one that lives elsewhere as well: %s', (field) => {
    const { stack, jobs } = executorStack();
    const attributes = { ...jobs.attributes, [field]: 'some' };
    expect(() => JobExecutor.fromJobExecutorAttributes(stack, 'Other', attributes)).toThrow(`${field}: "some" is not one of`);
  });

  it('says which workers there are when another is asked for', () => {
    expect(() => executorStack().jobs.executorFunction('report')).toThrow('Known are: default');
  });
});
