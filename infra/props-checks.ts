import { Stack, Token } from 'aws-cdk-lib';
import type { FunctionOptions } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { checkChoice, checkWorkerNames, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { HISTORY_MODES, METRICS_MODES } from '../shared/config/environment.ts';
import { checkScheduleDefinitions } from '../shared/features/schedules/model/definition.ts';
import { ALL_WORKERS } from '../shared/adapters/observability/names.ts';
import type { JobExecutorProps, WorkerProps } from './job-executor-props.ts';
import { TICK_SOURCES } from './ticks.ts';

const OWN_VARIABLES = 'NIGHTCREW_';
/** Powertools' own switch. */
const METRICS_SWITCH = 'POWERTOOLS_METRICS_DISABLED';

/** Refuses props that no deployment follows from: what types refuse already, for apps in JavaScript, and what would fail later or without a word. */
export function checkProps(scope: IConstruct, props: JobExecutorProps): void {
  checkWorkers(props.workers);
  for (const [worker, { functionProps }] of Object.entries(props.workers)) {
    checkFunctionProps(`workers.${worker}.functionProps`, functionProps, props.metrics);
  }
  checkModes(props);
  checkEvents(props.events);
  checkSchedules(props);
  checkChoice('ticks', props.ticks, TICK_SOURCES);
  checkFunctionProps('functionProps', props.functionProps, props.metrics);
  if (props.encryptionKey !== undefined && Token.isUnresolved(Stack.of(scope).region)) {
    refuse('encryptionKey', 'tables with a key of their own need a stack with a Region. Give the stack one: env: { region, account }.');
  }
}

/** Refuses events that go nowhere: somebody meant something by them. */
function checkEvents(events: JobExecutorProps['events']): void {
  if (events === undefined) return;
  if (events.log !== true && events.bus === undefined) refuse('events', 'they go nowhere. Give log: true, or a bus, or leave events out.');
}

/** Refuses schedules that no worker could run, two with one name, and what could never come. */
function checkSchedules({ schedules = [], workers }: JobExecutorProps): void {
  for (const { name, worker } of checkScheduleDefinitions(schedules)) {
    if (Object.hasOwn(workers, worker)) continue;
    refuse(`schedules.${name}`, `worker ${worker} is not one of ${Object.keys(workers).join(', ')}. Fix the job type, or add the worker.`);
  }
}

/** Refuses values of `history` and `metrics` that the functions would refuse when they start. */
export function checkModes({ history, metrics }: Pick<JobExecutorProps, 'history' | 'metrics'>): void {
  checkChoice('history', history, HISTORY_MODES);
  checkChoice('metrics', metrics, METRICS_MODES);
}

/** Refuses fewer sandboxes than the event sources of a worker start together: Lambda would throttle, and messages wait out their visibility timeout. */
export function checkReserved(worker: string, props: WorkerProps, all: FunctionOptions | undefined, needed: number): void {
  const own = props.functionProps?.reservedConcurrentExecutions;
  const reserved = own ?? all?.reservedConcurrentExecutions;
  if (reserved === undefined || Token.isUnresolved(reserved) || reserved >= needed) return;
  const field = own === undefined ? 'functionProps' : `workers.${worker}.functionProps`;
  refuse(
    `${field}.reservedConcurrentExecutions`,
    `${shownValue(reserved)} is less than the ${needed} executors that the queues of worker ${worker} may run. Reserve ${needed} or more, or lower maxConcurrency of the worker.`,
  );
}

function checkWorkers(workers: unknown): void {
  if (typeof workers !== 'object' || workers === null || Array.isArray(workers)) {
    refuse('workers', `${shownValue(workers)} are no workers. Give them by name: { default: { entry: 'worker.ts' } }.`);
  }
  checkWorkerNames(Object.keys(workers), [ALL_WORKERS]);
  for (const [worker, props] of Object.entries(workers as Record<string, unknown>)) {
    if (typeof props !== 'object' || props === null) refuse(`workers.${worker}`, `${shownValue(props)} is no worker. Give it an entry.`);
    const { environment } = props as WorkerProps;
    checkVariables(`workers.${worker}.environment`, environment);
  }
}

/** Levels at which Lambda drops what a function prints as INFO, and metrics are printed. */
const DROPS_METRICS = ['WARN', 'ERROR', 'FATAL'];

/** Refuses our own variables, and a log level that silences metrics: no alarm would know, and those of the heartbeats would ring for ever. */
function checkFunctionProps(field: string, props: FunctionOptions | undefined, metrics: JobExecutorProps['metrics']): void {
  checkVariables(`${field}.environment`, props?.environment);
  if (metrics === 'off') return;
  for (const name of ['applicationLogLevelV2', 'applicationLogLevel'] as const) {
    const level = props?.[name];
    if (level === undefined || !DROPS_METRICS.includes(level)) continue;
    refuse(`${field}.${name}`, `${level} drops the metrics, which Lambda takes for INFO lines. Use INFO, or metrics: 'off'.`);
  }
  if (/^(?:1|true|yes|on|y|t)$/i.test(props?.environment?.[METRICS_SWITCH] ?? '')) {
    refuse(`${field}.environment.${METRICS_SWITCH}`, "removes the metrics that alarms watch. Use metrics: 'off'.");
  }
}

function checkVariables(field: string, variables: Readonly<Record<string, string>> = {}): void {
  const own = Object.keys(variables).find((name) => name.startsWith(OWN_VARIABLES));
  if (own !== undefined)
    refuse(`${field}.${own}`, `the variables that begin with ${OWN_VARIABLES} are set by the construct. Leave it out.`);
}
