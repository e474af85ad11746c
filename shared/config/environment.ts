import { defined } from '../core/defined.ts';
import { HISTORY_LEVELS, type HistoryLevel } from '../core/history-level.ts';
import { InvalidConfigurationError, MissingEnvironmentError, shown } from '../core/errors.ts';
import { checkLanes } from '../core/lanes.ts';
import { TABLE_NAMES } from '../ports/table-spec.ts';
import type { TableName } from '../ports/tables.ts';
import { resolveSettings, type Settings } from './settings.ts';

/** Names of the environment variables, shared by infra (which sets them) and the functions (which read them). */
export const ENVIRONMENT = {
  tables: 'NIGHTCREW_TABLES',
  workers: 'NIGHTCREW_WORKERS',
  worker: 'NIGHTCREW_WORKER',
  settings: 'NIGHTCREW_SETTINGS',
  history: 'NIGHTCREW_HISTORY',
  metrics: 'NIGHTCREW_METRICS',
  events: 'NIGHTCREW_EVENTS',
  deployment: 'NIGHTCREW_DEPLOYMENT',
} as const;

/** Queue URLs of one worker. `fifo` is there only when the worker runs grouped jobs. */
export interface WorkerQueues {
  /** By lane, the most urgent first; one named `timers` takes fired timers, the others take priorities. */
  readonly lanes: Readonly<Record<string, string>>;
  /** The lowest priority of each lane but the lowest; absent for a worker with one lane. */
  readonly from?: Readonly<Record<string, number>>;
  /** Priority of its jobs to which neither enqueue nor type gives one. Default 0. */
  readonly priority?: number;
  readonly fifo?: string;
  readonly deadLetterQueue?: string;
  readonly fifoDeadLetterQueue?: string;
  /** Timeout of its executor where it has one of its own; operators alone know it. */
  readonly timeoutMs?: number;
}

/** What a deployment may keep of jobs; a type may say otherwise. */
export const HISTORY_MODES = HISTORY_LEVELS;

/** What is kept of jobs whose type says nothing of its own. */
export type HistoryMode = HistoryLevel;

/** Where events go besides listeners in the process. */
export interface EventsConfig {
  /** Kept in the History table. */
  readonly log?: boolean;
  /** Name or ARN of an event bus. */
  readonly bus?: string;
  /** What holds until an operator switches. Default: on. */
  readonly on?: boolean;
}

/** Which metrics carry the dimension `type` besides `worker`; each combination costs money every month. */
export const METRICS_MODES = ['worker', 'type', 'off'] as const;

/** Which metrics are published. */
export type MetricsMode = (typeof METRICS_MODES)[number];

/** Everything a function knows of the deployment it belongs to. */
export interface Deployment {
  readonly tables: Readonly<Record<TableName, string>>;
  readonly workers: ReadonlyMap<string, WorkerQueues>;
  readonly settings: Settings;
  readonly history: HistoryMode;
  readonly metrics: MetricsMode;
  /** Absent: events go nowhere. */
  readonly events?: EventsConfig;
  /** Set on an executor: the worker it is. */
  readonly worker?: string;
  /** Version of the function that runs, as Lambda names it. */
  readonly version?: string;
  /** Name that tells this deployment's metrics from those of others in the account. */
  readonly name?: string;
}

/** What `encodeEnvironment` takes: settings only where they differ from the defaults. */
export interface DeploymentInput {
  readonly tables: Readonly<Record<TableName, string>>;
  readonly workers: Readonly<Record<string, WorkerQueues>>;
  readonly settings?: Readonly<Record<string, number>>;
  readonly history?: HistoryMode;
  readonly metrics?: MetricsMode;
  readonly events?: EventsConfig;
  readonly worker?: string;
  readonly name?: string;
}

/** The environment variables of a function. Values may be CDK tokens: they are only put into texts, never looked at. */
export function encodeEnvironment(deployment: DeploymentInput): Record<string, string> {
  return {
    [ENVIRONMENT.tables]: JSON.stringify(deployment.tables),
    [ENVIRONMENT.workers]: JSON.stringify(deployment.workers),
    ...(deployment.settings && Object.keys(deployment.settings).length > 0
      ? { [ENVIRONMENT.settings]: JSON.stringify(deployment.settings) }
      : {}),
    ...(deployment.history === undefined ? {} : { [ENVIRONMENT.history]: deployment.history }),
    ...(deployment.metrics === undefined ? {} : { [ENVIRONMENT.metrics]: deployment.metrics }),
    ...(deployment.events === undefined ? {} : { [ENVIRONMENT.events]: JSON.stringify(deployment.events) }),
    ...(deployment.worker === undefined ? {} : { [ENVIRONMENT.worker]: deployment.worker }),
    ...(deployment.name === undefined ? {} : { [ENVIRONMENT.deployment]: deployment.name }),
  };
}

/** Reads the variables back. A missing one names the call that was `forgotten`, a broken one its name. */
export function decodeEnvironment(env: Readonly<Record<string, string | undefined>>, forgotten: string = CONNECT): Deployment {
  const tables = readJson(env, ENVIRONMENT.tables, forgotten);
  for (const name of TABLE_NAMES) {
    if (typeof tables[name] !== 'string')
      throw new InvalidConfigurationError(`${ENVIRONMENT.tables}: the name of table ${name} is missing.`);
  }
  const worker = env[ENVIRONMENT.worker];
  const name = env[ENVIRONMENT.deployment];
  const version = env['AWS_LAMBDA_FUNCTION_VERSION'];
  return {
    tables: tables as Record<TableName, string>,
    workers: new Map(
      Object.entries(readJson(env, ENVIRONMENT.workers, forgotten)).map(([name, queues]) => [name, readQueues(name, queues)]),
    ),
    settings: resolveSettings(
      env[ENVIRONMENT.settings] === undefined ? {} : (readJson(env, ENVIRONMENT.settings) as Record<string, number>),
    ),
    history: oneOf(env, ENVIRONMENT.history, HISTORY_MODES, 'outcome'),
    metrics: oneOf(env, ENVIRONMENT.metrics, METRICS_MODES, 'worker'),
    ...(env[ENVIRONMENT.events] === undefined ? {} : { events: readEvents(readJson(env, ENVIRONMENT.events)) }),
    ...defined({ worker, version, name }),
  };
}

const CONNECT = 'executor.connect(fn) on the JobExecutor construct, for the function that runs this code';

function readJson(env: Readonly<Record<string, string | undefined>>, name: string, forgotten = CONNECT): Record<string, unknown> {
  const text = env[name];
  if (text === undefined || text === '') throw new MissingEnvironmentError(name, forgotten);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // said below
  }
  throw new InvalidConfigurationError(`${name}: ${shown(text)} is not a JSON object.`);
}

function readEvents({ log, bus, on }: Record<string, unknown>): EventsConfig {
  const wrong =
    (log !== undefined && typeof log !== 'boolean') ||
    (bus !== undefined && typeof bus !== 'string') ||
    (on !== undefined && typeof on !== 'boolean');
  if (wrong) throw new InvalidConfigurationError(`${ENVIRONMENT.events}: log and on are true or false, bus is the name of an event bus.`);
  return defined({ log, bus, on });
}

function readQueues(worker: string, queues: unknown): WorkerQueues {
  const lanes = (queues as Partial<WorkerQueues> | null)?.lanes;
  if (typeof lanes !== 'object' || lanes === null || Object.values(lanes).some((url) => typeof url !== 'string')) {
    throw new InvalidConfigurationError(`${ENVIRONMENT.workers}: worker ${shown(worker)} has no lanes with queue URLs.`);
  }
  for (const name of ['fifo', 'deadLetterQueue', 'fifoDeadLetterQueue'] as const) {
    const url: unknown = (queues as WorkerQueues)[name];
    if (url !== undefined && typeof url !== 'string') {
      throw new InvalidConfigurationError(`${ENVIRONMENT.workers}: ${name} of worker ${shown(worker)} is no queue URL.`);
    }
  }
  checkLanes(queues as WorkerQueues, `${ENVIRONMENT.workers}.${worker}`);
  const priority: unknown = (queues as WorkerQueues).priority;
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    throw new InvalidConfigurationError(`${ENVIRONMENT.workers}: priority of worker ${shown(worker)} is no whole number.`);
  }
  return queues as WorkerQueues;
}

function oneOf<Choice extends string>(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  choices: readonly Choice[],
  fallback: Choice,
): Choice {
  const given = env[name] ?? fallback;
  const choice = choices.find((one) => one === given);
  if (choice === undefined) throw new InvalidConfigurationError(`${name}: ${shown(given)} is not one of ${choices.join(', ')}.`);
  return choice;
}
