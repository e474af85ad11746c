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
    ['a timeout below its range', { settings: { executorTimeout: Duration.seconds(1) } }, 'executorTimeoutMs'],
    ['a fraction of a second', { settings: { executorTimeout: Duration.millis(10_500) } }, 'executorTimeout'],
    ['a fraction of a minute', { settings: { acquirerInterval: Duration.seconds(90) } }, 'acquirerInterval'],
    ['a lease margin below twice the clock skew', { settings: { leaseMargin: Duration.seconds(1) } }, 'leaseMarginMs'],
    [
      'a first redispatch that a frozen producer outlasts',
      { settings: { firstRedispatchAfter: Duration.minutes(5) } },
      'firstRedispatchAfter',
    ],
    ['a large batch without a window', { settings: { batchSize: 100 } }, 'batchWindow'],
    ['one executor at a time', { settings: { maxConcurrency: 1 } }, 'maxConcurrency'],
    ['a number where a Duration belongs', { settings: { executorTimeout: 60 as never } }, 'executorTimeout'],
    ['a Duration where a Size belongs', { settings: { executorMemory: Duration.seconds(1) as never } }, 'executorMemory'],
    ['a setting that does not exist', { settings: { executorTimeOut: Duration.seconds(30) } as never }, 'executorTimeOut'],
    ['a horizon that a late and a missed tick outlast', { settings: { horizon: Duration.millis(179_999) } }, 'horizon: 179999 ms'],
    ['an interval that the default horizon does not cover', { settings: { acquirerInterval: Duration.minutes(3) } }, 'acquirerInterval'],
    ['an interval that no horizon covers', { settings: { acquirerInterval: Duration.minutes(8) } }, 'acquirerIntervalMs'],
    [
      'a timer that its producer may still be writing when it is fired',
      { settings: { delayHorizon: Duration.minutes(10) } },
      'delayHorizon: 600000 ms',
    ],
    ['a history that is none', { history: 'on' as never }, 'history: "on"'],
    ['metrics that are none', { metrics: true as never }, 'metrics: true'],
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
      { workers: { default: { ...worker, groups: true } }, functionProps: { reservedConcurrentExecutions: 99 } },
      'functionProps.reservedConcurrentExecutions: 99',
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
      { workers: { default: { ...worker, functionProps: { role: undefined as never } } } },
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
    const grouped = { ...worker, groups: true, settings: { maxConcurrency: 25 } };
    expect(() => executorStack({ workers: { default: grouped }, functionProps })).not.toThrow();
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
