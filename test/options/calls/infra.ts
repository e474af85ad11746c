import type { Stack } from 'aws-cdk-lib';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type IJobExecutor, JobExecutor } from '../../../infra/index.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import { executorStack, WORKER_ENTRY } from '../../infra/synth.ts';
import { SCHEDULE } from './samples.ts';
import type { Given, OptionCall, OptionCalls } from '../stray-field.ts';

const { stack, jobs } = executorStack();
const orders = new LambdaFunction(stack, 'Orders', { runtime: Runtime.NODEJS_24_X, handler: 'index.handler', code: Code.fromInline('0') });
const eachTable = (value: unknown): Readonly<Record<string, unknown>> => Object.fromEntries(TABLE_NAMES.map((name) => [name, value]));

/** Options that go on to the CDK, of which a later version may have more: their warning is thrown. */
function warned({ node }: Stack): void {
  const entries = node.findAll().flatMap((one) => one.node.metadata);
  for (const { data } of entries) if (String(data).includes('is no known option')) throw new Error(String(data));
}

type Made = ReturnType<typeof executorStack>;
const importedInto = (made: Made): IJobExecutor => JobExecutor.fromJobExecutorAttributes(made.stack, 'Imported', jobs.attributes);
const imported = importedInto({ stack, jobs });

type Read = (jobs: IJobExecutor, given: Given) => unknown;
const anyMetric: Read = (of, { options }) => of.metric('JobsCompleted', options);

function metricOf(of: (made: Made) => IJobExecutor, read = anyMetric): OptionCall {
  return {
    given: [{ options: {} }],
    call: (given) => {
      const made = executorStack();
      read(of(made), given);
      warned(made.stack);
    },
  };
}

/** What a construct has in common with one of another stack, by what `of` makes of a stack. */
function executorCalls(owner: string, connected: IJobExecutor, of: (made: Made) => IJobExecutor): OptionCalls {
  const metric = (read: Read): OptionCall => metricOf(of, read);
  const calls: OptionCalls = {
    connect: { given: [{ options: {} }], call: ({ options }) => connected.connect(orders, options) },
    connectOperator: { given: [{ options: {} }], call: ({ options }) => connected.connectOperator(orders, options) },
    metricJobsCompleted: metric((jobs, { options }) => jobs.metricJobsCompleted(options)),
    metricJobsDeadLettered: metric((jobs, { options }) => jobs.metricJobsDeadLettered(options)),
    metricJobsEnqueued: metric((jobs, { options }) => jobs.metricJobsEnqueued(options)),
    metricJobsFailed: metric((jobs, { options }) => jobs.metricJobsFailed(options)),
    metricJobsRetried: metric((jobs, { options }) => jobs.metricJobsRetried(options)),
    metricOldestReadyAge: metric((jobs, { options }) => jobs.metricOldestReadyAge(options)),
    metricQueueDelay: metric((jobs, { options }) => jobs.metricQueueDelay(options)),
    metricRunTime: metric((jobs, { options }) => jobs.metricRunTime(options)),
    metricTimerLag: metric((jobs, { options }) => jobs.metricTimerLag(options)),
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [`${owner}.${name}`, call]));
}

/** Calls of the construct. */
export const INFRA_CALLS: OptionCalls = {
  'new JobExecutor': {
    given: [
      { workers: { default: { entry: WORKER_ENTRY, lanes: { slow: { pollers: {} } }, settings: {} } } },
      { workers: { default: { entry: WORKER_ENTRY, pollers: {} } } },
      { schedules: [SCHEDULE] },
      { settings: {}, deployment: {}, metrics: { types: ['work'] }, events: { bus: { eventBusArn: 'arn' } } },
      { tableProps: eachTable({}), alarmOptions: {}, acquirer: {}, sweeper: {}, externalApi: {}, largePayloads: {} },
      { tables: eachTable(undefined) },
    ].map((props) => ({ props: { workers: { default: { entry: WORKER_ENTRY } }, ...props } })),
    call: ({ props }) => executorStack(props),
  },
  'JobExecutor.fromJobExecutorAttributes': {
    given: [{ attributes: { ...jobs.attributes, settings: {}, metrics: { types: ['work'] }, events: {} } }],
    call: ({ attributes }) => JobExecutor.fromJobExecutorAttributes(executorStack().stack, 'Imported', attributes),
  },
  ...executorCalls('JobExecutorBase', jobs, (made) => made.jobs),
  ...executorCalls('IJobExecutor', imported, importedInto),
  'JobExecutor.metric': metricOf((made) => made.jobs),
  'IJobExecutor.metric': metricOf(importedInto),
};
