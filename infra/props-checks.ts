import { Stack, Token } from 'aws-cdk-lib';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { IConstruct } from 'constructs';
import { checkChoice, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { HISTORY_MODES, metricsProblem, type MetricsOfTypes } from '../shared/config/environment.ts';
import { defined } from '../shared/job/defined.ts';
import { checkedInUse, checkValues, type OptionChecks } from '../shared/job/option-checks.ts';
import { presentName } from '../shared/job/worker-names.ts';
import { checkScheduleDefinitions } from '../shared/features/schedules/model/definition.ts';
import { checkAdoptedTables } from './adopted-tables.ts';
import { checkFunctionProps, type FunctionPropsPlace } from './function-props-checks.ts';
import type { AlarmProps, EventsProps, JobExecutorProps } from './job-executor-props.ts';
import type { MaintenanceProps } from './maintenance-props.ts';
import {
  checkShape,
  checkSwitch,
  durationCheck,
  hasMethod,
  hasText,
  isRecord,
  isText,
  listCheck,
  type PropsShape,
  valid,
} from './option-checks.ts';
import { checkDeployment } from './roll-outs.ts';
import { checkRemovalPolicy, checkTableProps } from './table-props.ts';
import { TICK_SOURCES } from './ticks.ts';
import { checkWorkers } from './worker-checks.ts';

const COMPUTED = 'alarms compute with it';

const ALARM_OPTIONS: PropsShape<AlarmProps> = {
  of: 'alarms',
  example: '{ topic }',
  checks: {
    topic: valid(hasText('topicArn'), 'Use new Topic(...), or Topic.fromTopicArn(...).'),
    actions: listCheck(valid(hasMethod('bind'), 'Use an action, such as new SnsAction(topic).')),
    runbook: valid(isText, "Give its address, such as 'https://example.com/runbook'."),
    oldestReadyAge: durationCheck('Duration.minutes(15)', COMPUTED),
    timerLag: durationCheck('Duration.minutes(2)', COMPUTED),
  },
};

const EVENTS: PropsShape<EventsProps> = {
  of: 'events',
  example: '{ log: true }',
  checks: {
    log: checkSwitch,
    bus: valid(hasText('eventBusArn'), 'Use new EventBus(...), or EventBus.fromEventBusName(...).'),
    on: checkSwitch,
  },
};

const METRICS: PropsShape<MetricsOfTypes> = {
  of: 'metrics',
  example: "{ types: ['invoice.send'] }",
  checks: { types: checkedInUse },
};

const MODES: OptionChecks<Pick<JobExecutorProps, 'history' | 'metrics'>> = {
  history: (field, value) => checkChoice(field, value, HISTORY_MODES),
  metrics: checkMetrics,
};

const maintenanceShape = (name: string, place: FunctionPropsPlace): PropsShape<MaintenanceProps> => ({
  of: `the ${name}`,
  example: '{ functionProps: { ... } }',
  checks: { functionProps: (field, value) => checkFunctionProps(field, value, place) },
});

/** The metric's dimension: what CloudWatch takes as the value of one. */
const DEPLOYMENT_NAME = /^(?!:)(?! *$)[ -~]{1,1024}$/;
const isDeploymentName = (value: unknown): boolean => typeof value === 'string' && DEPLOYMENT_NAME.test(value);
/** A numeric enum has its names as keys, too. */
const isRetention = (value: unknown): boolean => typeof value === 'number' && value in RetentionDays;

/** Props that are checked with others, or where they are used, are checked by `checkProps` or after it. */
const jobExecutorShape = (place: FunctionPropsPlace): PropsShape<JobExecutorProps> => ({
  of: 'a job executor',
  example: "{ workers: { default: { entry: 'worker.ts' } } }",
  checks: {
    ...MODES,
    workers: checkedInUse,
    schedules: checkedInUse,
    settings: checkedInUse,
    active: checkSwitch,
    deployment: checkDeployment,
    events: checkEvents,
    ticks: (field, value) => checkChoice(field, value, TICK_SOURCES),
    removalPolicy: checkRemovalPolicy,
    tableProps: checkTableProps,
    tables: checkedInUse,
    encryptionKey: checkedInUse,
    deploymentName: valid(isDeploymentName, 'Use 1 to 1024 printable ASCII characters, the first no colon.'),
    alarms: checkSwitch,
    alarmOptions: (field, value) => checkShape(field, value, ALARM_OPTIONS),
    dashboard: checkSwitch,
    logRetention: valid(isRetention, 'Use one of RetentionDays, such as RetentionDays.ONE_MONTH.'),
    tracing: (field, value) => checkChoice(field, value, Object.values(Tracing)),
    functionProps: (field, value) => checkFunctionProps(field, value, place),
    acquirer: (field, value) => checkShape(field, value, maintenanceShape(field, place)),
    sweeper: (field, value) => checkShape(field, value, maintenanceShape(field, place)),
    reserveTicks: checkSwitch,
    externalApi: (field, value) =>
      isRecord(value) ? checkShape(field, value, maintenanceShape('external API', place)) : checkSwitch(field, value),
    largePayloads: (field, value) =>
      isRecord(value) ? checkShape(field, value, maintenanceShape('cleaner', place)) : checkSwitch(field, value),
  },
});

/** Refuses invalid props: those that types refuse already, for apps in JavaScript, and those that would fail later or silently. */
export function checkProps(scope: IConstruct, props: JobExecutorProps): void {
  const place = { scope, ...defined({ metrics: (props as JobExecutorProps | undefined)?.metrics }) };
  checkShape('props', props, jobExecutorShape(place), '');
  checkWorkers(props.workers, place);
  checkSchedules(props);
  checkOfOneFunction(props);
  checkAdoptedTables(scope, props);
  checkKey(scope, props.encryptionKey);
}

function checkKey(scope: IConstruct, key: JobExecutorProps['encryptionKey']): void {
  if (key === undefined) return;
  if (typeof (key as Partial<typeof key> | null)?.keyArn !== 'string') {
    refuse('encryptionKey', `${shownValue(key)} is no key. Use new Key(...), or Key.fromKeyArn(this, 'Key', arn).`);
  }
  if (Token.isUnresolved(Stack.of(scope).region)) {
    refuse('encryptionKey', 'tables with a key of their own need a stack with a Region. Give the stack one: env: { region, account }.');
  }
}

/** Refuses a name or concurrency that each function would have, and `reserveTicks` together with a function's own reservation. */
function checkOfOneFunction({ functionProps, acquirer, sweeper, largePayloads, reserveTicks }: JobExecutorProps): void {
  if (functionProps?.functionName !== undefined) {
    refuse(
      'functionProps.functionName',
      `${shownValue(functionProps.functionName)} would be the name of each function. Give it to functionProps of a worker, acquirer, sweeper, externalApi or largePayloads.`,
    );
  }
  if (functionProps?.reservedConcurrentExecutions !== undefined) {
    refuse(
      'functionProps.reservedConcurrentExecutions',
      `${shownValue(functionProps.reservedConcurrentExecutions)} would be reserved for each function. Give it to functionProps of a worker, and use reserveTicks for acquirer and sweeper.`,
    );
  }
  const cleaner = isRecord(largePayloads) ? largePayloads : undefined;
  for (const [name, props] of Object.entries({ acquirer, sweeper, largePayloads: cleaner })) {
    const reserved = props?.functionProps?.reservedConcurrentExecutions;
    if (reserved === undefined || reserveTicks !== true) continue;
    refuse(`${name}.functionProps.reservedConcurrentExecutions`, `${shownValue(reserved)} contradicts reserveTicks. Use one of them.`);
  }
}

/** Refuses events without a destination, which are surely a mistake. */
function checkEvents(field: string, events: unknown): void {
  checkShape(field, events, EVENTS);
  const { log, bus } = events as EventsProps;
  if (log !== true && bus === undefined) refuse(field, 'they go nowhere. Give log: true, or a bus, or leave events out.');
}

/** Refuses schedules that no worker could run, duplicate names, and schedules without occurrences. */
function checkSchedules({ schedules = [], workers }: JobExecutorProps): void {
  for (const { name, worker } of checkScheduleDefinitions(schedules)) {
    if (Object.hasOwn(workers, presentName(Object.entries(workers), worker))) continue;
    refuse(`schedules.${name}`, `worker ${worker} is not one of ${Object.keys(workers).join(', ')}. Fix the job type, or add the worker.`);
  }
}

/** Refuses values of `history` and `metrics` that the functions would refuse when they start. */
export function checkModes({ history, metrics }: Pick<JobExecutorProps, 'history' | 'metrics'>): void {
  checkValues({ history, metrics }, MODES);
}

function checkMetrics(field: string, metrics: unknown): void {
  const problem = metricsProblem(metrics);
  if (problem !== undefined) refuse(field, `${shownValue(metrics)} ${problem}.`);
  if (isRecord(metrics)) checkShape(field, metrics, METRICS);
}
