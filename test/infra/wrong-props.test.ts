import { Duration, Lazy, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { Runtime } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it } from 'vitest';
import type { AlarmProps, EventsProps, JobExecutorProps, LaneProps, WorkerProps } from '../../infra/job-executor-props.ts';
import { JobExecutor } from '../../infra/job-executor.ts';
import type { MaintenanceProps } from '../../infra/maintenance-props.ts';
import type { PollerProps } from '../../infra/pollers.ts';
import type { DeploymentProps } from '../../infra/roll-outs.ts';
import type { TableProps, TablesProps } from '../../infra/table-props.ts';
import { executorStack, executorTemplate, quickApp, resources, WORKER_ENTRY } from './synth.ts';
import { eachOptionRefuses, type Wrong } from '../support/wrong-values.ts';

type Options = Readonly<Record<string, unknown>>;

const SWITCH: readonly [Wrong] = [['no', ': "no" is neither true nor false.']];
const worker = (options: Options): unknown => executorStack({ workers: { default: { entry: WORKER_ENTRY, ...options } } });
const LATER = Duration.minutes(Lazy.number({ produce: () => 15 }));
const NO_OVERRIDES: readonly [Wrong, Wrong] = [
  [5, ': 5 are no overrides of a function. Use { vpc, layers, ... }.'],
  [{ timeout: Duration.minutes(1) }, '.timeout: must not be overridden.'],
];
const NOT_A_TABLE: readonly [Wrong] = [[5, ': 5 is no object with options of a table. Use { warmThroughput:']];

describe('the job executor', () => {
  eachOptionRefuses<JobExecutorProps>({
    path: '',
    give: (options) => executorStack(options),
    wrong: {
      workers: [
        [undefined, ': undefined are no workers. Give them by name'],
        [[], ': an array are no workers'],
      ],
      schedules: [[5, ': 5 is not valid. Give an array of schedules']],
      settings: [
        [5, ': 5 are no settings. Use { executorTimeout: Duration.minutes(5) }.'],
        [null, ': null are no settings'],
      ],
      active: SWITCH,
      deployment: [[5, ': 5 is no object with options of a deployment. Use { config:']],
      history: [['all', ': "all" is not one of ']],
      metrics: [
        ['all', ': "all" is not one of worker, type, off'],
        [{ types: ['a'], type: 'a' }, '.type: is no option of metrics. Did you mean types?'],
      ],
      events: [
        [null, ': null is no object with options of events. Use { log: true }.'],
        [{ on: true }, ': they go nowhere.'],
      ],
      ticks: [['cron', ': "cron" is not one of schedules, rules.']],
      removalPolicy: [['keep', ': "keep" is not one of ']],
      tableProps: [[5, ': 5 is no object with options of a table']],
      tables: [[5, ': 5 are no tables. Give them by name']],
      encryptionKey: [[5, ': 5 is no key. Use new Key(...)']],
      deploymentName: [
        [5, ': 5 is not valid. Use 1 to 1024 printable ASCII characters'],
        ['', ': "" is not valid.'],
        [' ', ': " " is not valid.'],
        [':shop', ': ":shop" is not valid.'],
        ['Würste', ': "Würste" is not valid.'],
      ],
      alarms: SWITCH,
      alarmOptions: [[5, ': 5 is no object with options of alarms. Use { topic }.']],
      dashboard: SWITCH,
      logRetention: [
        [31, ': 31 is not valid. Use one of RetentionDays, such as RetentionDays.ONE_MONTH.'],
        ['ONE_MONTH', ': "ONE_MONTH" is not valid.'],
      ],
      tracing: [['x', ': "x" is not one of Active, PassThrough, Disabled.']],
      functionProps: NO_OVERRIDES,
      acquirer: [[5, ': 5 is no object with options of the acquirer. Use { functionProps: { ... } }.']],
      sweeper: [[5, ': 5 is no object with options of the sweeper.']],
      reserveTicks: SWITCH,
      externalApi: SWITCH,
      largePayloads: SWITCH,
    },
  });

  it.each([undefined, null, 5, []])('is not made from %o instead of props', (props) => {
    const stack = new Stack(quickApp(), 'Shop');
    expect(() => new JobExecutor(stack, 'Jobs', props as never)).toThrow(
      "is no object with options of a job executor. Use { workers: { default: { entry: 'worker.ts' } } }.",
    );
  });

  it('suggests the option that was probably meant', () => {
    expect(() => executorStack({ tracking: 'Active' } as never)).toThrow('tracking: is no option of a job executor. Did you mean tracing?');
  });
});

describe('a worker', () => {
  eachOptionRefuses<WorkerProps>({
    path: 'workers.default.',
    give: worker,
    wrong: {
      outside: SWITCH,
      entry: [
        [5, ": 5 is not valid. Give the path of the file that exports handler, such as 'worker.ts'."],
        ['', ': "" is not valid.'],
      ],
      code: [['dist', `: "dist" is not valid. Use Code.fromAsset('dist'), or entry`]],
      handler: [[5, ": 5 is not valid. Give file and export, such as 'index.handler'."]],
      formerly: [['main', ': "main" is no list.']],
      groups: SWITCH,
      lanes: [[5, ': 5 are no lanes.']],
      pollers: [[5, ': 5 are no pollers.']],
      timersFirst: SWITCH,
      priority: [['high', ': "high" is no priority.']],
      settings: [[5, ': 5 are no settings.']],
      environment: [
        [null, ": null are no variables. Use { NAME: 'value' }."],
        [{ A: 5 }, '.A: 5 is not valid. Use a text'],
        [{ A: null }, '.A: null is not valid.'],
        [{ POWERTOOLS_METRICS_DISABLED: 'true' }, '.POWERTOOLS_METRICS_DISABLED: removes the metrics that alarms watch.'],
      ],
      functionProps: [...NO_OVERRIDES, [{ environment: { A: 5 } }, '.environment.A: 5 is not valid.']],
    },
  });
});

describe('a lane', () => {
  eachOptionRefuses<LaneProps>({
    path: 'workers.default.lanes.default.',
    give: (options) => worker({ lanes: { default: options } }),
    wrong: {
      from: [['low', ': "low" is no priority.']],
      to: [['high', ': "high" is no priority.']],
      maxConcurrency: [[1_001, ': 1001 is outside its range.']],
      pollers: [[5, ': 5 are no pollers.']],
      batchSize: [['10', ': "10" is outside its range.']],
    },
  });
});

describe('pollers', () => {
  eachOptionRefuses<PollerProps>({
    path: 'workers.default.pollers.',
    give: (pollers) => worker({ pollers }),
    wrong: { minimum: [['2', ': "2" is outside its range.']], maximum: [[1, ': 1 is outside its range.']] },
  });
});

describe('a gradual deployment', () => {
  eachOptionRefuses<DeploymentProps>({
    path: 'deployment.',
    give: (deployment) => executorStack({ deployment }),
    wrong: {
      config: [['Canary', ': "Canary" is not valid. Use one of LambdaDeploymentConfig.']],
      alarms: [
        [{}, ': an object is no list. Use [ ... ].'],
        [['late'], '[0]: "late" is not valid. Use metric.createAlarm(...)'],
      ],
      preHook: [['check', ': "check" is not valid. Use new Function(...)']],
      postHook: [[null, ': null is not valid. Use new Function(...)']],
    },
  });
});

describe('alarms', () => {
  eachOptionRefuses<AlarmProps>({
    path: 'alarmOptions.',
    give: (alarmOptions) => executorStack({ alarmOptions }),
    wrong: {
      topic: [['x', ': "x" is not valid. Use new Topic(...), or Topic.fromTopicArn(...).']],
      actions: [
        [5, ': 5 is no list. Use [ ... ].'],
        [['x'], '[0]: "x" is not valid. Use an action, such as new SnsAction(topic).'],
      ],
      runbook: [
        [5, ": 5 is not valid. Give its address, such as 'https://example.com/runbook'."],
        ['', ': "" is not valid.'],
      ],
      oldestReadyAge: [
        [900, ': 900 is not valid. Use a Duration above zero, such as Duration.minutes(15).'],
        [LATER, ': it is only known when the app is deployed, and alarms compute with it. Use a Duration above zero, such as'],
      ],
      timerLag: [
        [5, ': 5 is not valid. Use a Duration above zero, such as Duration.minutes(2).'],
        [Duration.seconds(0), ': an object is not valid.'],
        [LATER, ': it is only known when the app is deployed'],
      ],
    },
  });
});

describe('events', () => {
  eachOptionRefuses<EventsProps>({
    path: 'events.',
    give: (options) => executorStack({ events: { log: true, ...options } }),
    wrong: {
      log: [['yes', ': "yes" is neither true nor false.']],
      bus: [['main', ': "main" is not valid. Use new EventBus(...), or EventBus.fromEventBusName(...).']],
      on: SWITCH,
    },
  });
});

describe.each(['acquirer', 'sweeper', 'externalApi', 'largePayloads'])('the %s', (name) => {
  eachOptionRefuses<MaintenanceProps>({
    path: `${name}.`,
    give: (options) => executorStack({ [name]: options }),
    wrong: { functionProps: NO_OVERRIDES },
  });
});

const TABLE = {
  warmThroughput: [[5, ': 5 is no throughput.']],
  maxReadRequestUnits: [[0, ': 0 is not a whole number of 1 or more.']],
  maxWriteRequestUnits: [['5', ': "5" is not a whole number of 1 or more.']],
  recoveryPeriodInDays: [
    [36, ': 36 is not a whole number from 1 to 35.'],
    [Lazy.number({ produce: () => 7 }), ': it is only known when the app is deployed, and the CDK checks its range. Use a whole number'],
  ],
  deletionProtection: SWITCH,
  removalPolicy: [['keep', ': "keep" is not one of ']],
} as const;

describe('tables', () => {
  eachOptionRefuses<TablesProps>({
    path: 'tableProps.',
    give: (tableProps) => executorStack({ tableProps }),
    wrong: {
      ...TABLE,
      jobs: NOT_A_TABLE,
      timers: NOT_A_TABLE,
      deadLetters: NOT_A_TABLE,
      suspended: NOT_A_TABLE,
      history: NOT_A_TABLE,
      control: NOT_A_TABLE,
    },
  });
});

describe('a table', () => {
  eachOptionRefuses<TableProps>({
    path: 'tableProps.jobs.',
    give: (jobs) => executorStack({ tableProps: { jobs } }),
    wrong: TABLE,
  });
});

describe('overrides of a function', () => {
  it.each([
    ['timeout', 'Leases follow from it'],
    ['memorySize', 'Use settings.executorMemory'],
    ['role', 'Each function has a role of its own'],
    ['runtime', 'Bundles are made for its version of Node.js'],
    ['code', 'Use entry or code of the worker'],
    ['handler', 'Use handler of the worker'],
    ['deadLetterQueue', 'Each function has a queue for them'],
    ['deadLetterQueueEnabled', 'Each function has a queue for them'],
    ['deadLetterTopic', 'Each function has a queue for them'],
  ])('refuse %s, which the construct sets, wherever they are given', (prop, instead) => {
    const functionProps = { [prop]: Runtime.NODEJS_24_X } as never;
    const message = `functionProps.${prop}: must not be overridden. ${instead}`;
    expect(() => worker({ functionProps })).toThrow(`workers.default.${message}`);
    expect(() => executorStack({ functionProps })).toThrow(message);
    expect(() => executorStack({ sweeper: { functionProps } })).toThrow(`sweeper.${message}`);
  });

  it('warn of a prop that there is not, because a later CDK may have it', () => {
    const warnings = (options: Options): readonly unknown[] =>
      Annotations.fromStack(executorStack(options).stack)
        .findWarning('/Shop/Jobs', Match.anyValue())
        .map(({ entry }) => entry.data);
    expect(warnings({ functionProps: { layer: [] } })).toEqual([
      expect.stringContaining('functionProps.layer: is no known option of a function, so the CDK may ignore it. Did you mean layers?'),
    ]);
    expect(warnings({ acquirer: { functionProps: { unheardOfOption: 1 } } })).toEqual([
      expect.stringMatching(/^acquirer\.functionProps\.unheardOfOption: .* Check its name\./),
    ]);
    expect(warnings({ functionProps: { description: 'Ours.', layers: [] } })).toEqual([]);
  });
});

it('values that are only known when the app is deployed are taken', () => {
  const text = (): string => Lazy.string({ produce: () => 'later' });
  const number = (value: number): number => Lazy.number({ produce: () => value });
  const template = executorTemplate({
    deploymentName: text(),
    logRetention: Lazy.number({ produce: () => 30 }) as never,
    alarmOptions: { runbook: text() },
    tableProps: {
      maxReadRequestUnits: number(5_000),
      warmThroughput: { writeUnitsPerSecond: number(12_000) },
    },
    workers: {
      default: { entry: WORKER_ENTRY, handler: text(), environment: { SHOP: text() }, functionProps: { environment: { A: text() } } },
    },
  });
  const functions = Object.values(resources(template, 'AWS::Lambda::Function')).map(({ Properties }) => Properties);
  expect(functions.find(({ Handler }) => Handler === 'later')).toMatchObject({ Environment: { Variables: { SHOP: 'later', A: 'later' } } });
  const [table] = Object.values(resources(template, 'AWS::DynamoDB::GlobalTable'));
  expect(JSON.stringify(table)).toMatch(/"MaxReadRequestUnits":5000.*"WriteUnitsPerSecond":12000/);
});
