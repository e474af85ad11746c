import type { FunctionOptions, FunctionProps } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import type { JobExecutorProps } from './job-executor-props.ts';
import { isRecord, valid, warnOfUnknown } from './option-checks.ts';
import { KNOWN_FUNCTION_PROPS } from './known-function-props.ts';

const OWN_VARIABLES = 'NIGHTCREW_';
/** Powertools' own switch. */
const METRICS_SWITCH = 'POWERTOOLS_METRICS_DISABLED';
/** Levels at which Lambda drops INFO lines, and with them metrics. */
const DROPS_METRICS = ['WARN', 'ERROR', 'FATAL'];

const DEAD_LETTERS = "Each function has a queue for them: a worker's dead-letter queue, or failedTicks.";

/** Props that cannot be overridden, and what to do instead. */
const FIXED = {
  timeout: 'Leases follow from it: use settings.executorTimeout, acquirerTimeout or sweeperTimeout.',
  memorySize: 'Use settings.executorMemory, acquirerMemory or sweeperMemory.',
  role: 'Each function has a role of its own: add to it with addToRolePolicy.',
  runtime: 'Bundles are made for its version of Node.js. For another one, run a worker outside Lambda.',
  code: 'Use entry or code of the worker.',
  handler: 'Use handler of the worker, together with its code.',
  deadLetterQueue: DEAD_LETTERS,
  deadLetterQueueEnabled: DEAD_LETTERS,
  deadLetterTopic: DEAD_LETTERS,
} as const satisfies Partial<Record<keyof FunctionProps, string>>;

/** Where overrides of a function are given, and whether metrics are published. */
export interface FunctionPropsPlace {
  readonly scope: IConstruct;
  readonly metrics?: JobExecutorProps['metrics'];
}

/**
 * Refuses overrides of what the construct sets, our own variables, and a log level that drops metrics: alarms would have no data, and
 * heartbeat alarms would fire forever. Warns of props that there are not: a later CDK may have them.
 */
export function checkFunctionProps(field: string, props: unknown, { scope, metrics }: FunctionPropsPlace): void {
  if (!isRecord(props)) refuse(field, `${shownValue(props)} are no overrides of a function. Use { vpc, layers, ... }.`);
  for (const [prop, instead] of Object.entries(FIXED)) {
    if ((props as FunctionProps)[prop as keyof typeof FIXED] !== undefined)
      refuse(`${field}.${prop}`, `must not be overridden. ${instead}`);
  }
  warnOfUnknown(scope, field, { props, known: KNOWN_FUNCTION_PROPS, of: 'a function' });
  checkVariables(`${field}.environment`, (props as FunctionOptions).environment, metrics);
  if (metrics !== 'off') checkMetricsArrive(field, props);
}

function checkMetricsArrive(field: string, props: FunctionOptions): void {
  for (const name of ['applicationLogLevelV2', 'applicationLogLevel'] as const) {
    const level = props[name];
    if (level === undefined || !DROPS_METRICS.includes(level)) continue;
    refuse(`${field}.${name}`, `${level} drops the metrics, which Lambda takes for INFO lines. Use INFO, or metrics: 'off'.`);
  }
}

/** Refuses variables that are no texts, our own, and the one that removes metrics which the deployment publishes. */
export function checkVariables(field: string, variables: unknown, metrics: JobExecutorProps['metrics']): void {
  if (variables === undefined) return;
  if (!isRecord(variables)) refuse(field, `${shownValue(variables)} are no variables. Use { NAME: 'value' }.`);
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) continue;
    if (name.startsWith(OWN_VARIABLES)) {
      refuse(`${field}.${name}`, `the variables that begin with ${OWN_VARIABLES} are set by the construct. Leave it out.`);
    }
    checkVariable(`${field}.${name}`, value);
    if (name === METRICS_SWITCH && metrics !== 'off' && /^(?:1|true|yes|on|y|t)$/i.test(value)) {
      refuse(`${field}.${name}`, "removes the metrics that alarms watch. Use metrics: 'off'.");
    }
  }
}

const checkVariable = valid((value) => typeof value === 'string', 'Use a text: Lambda has no other variables.');
