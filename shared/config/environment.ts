import { defined } from '../job/defined.ts';
import { HISTORY_LEVELS, type HistoryLevel } from '../job/history-level.ts';
import { InvalidConfigurationError, MissingEnvironmentError, shown } from '../job/errors.ts';
import { checkLanes } from '../job/lanes.ts';
import { WorkersByName } from '../job/worker-names.ts';
import { TABLE_NAMES } from '../ports/table-spec.ts';
import type { TableName } from '../ports/tables.ts';
import { resolveSettings, type Settings, unknownSettings } from './settings.ts';

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
  payloads: 'NIGHTCREW_PAYLOADS',
} as const;

/** The workers outside Lambda, separated by commas: those whose jobs the HTTP API hands out. */
export const EXTERNAL_WORKERS = 'NIGHTCREW_EXTERNAL_WORKERS';

/** The variables of one deployment in the environment of a function. */
export type VariableNames = Readonly<Record<keyof typeof ENVIRONMENT, string>>;

/** Queue URLs of one worker. `fifo` is there only when the worker runs grouped jobs. */
export interface WorkerQueues {
  /** By lane, the most urgent first; one named `timers` takes fired timers, the others take priorities. */
  readonly lanes: Readonly<Record<string, string>>;
  /** The lowest priority of each lane but the lowest; absent for a worker with one lane. */
  readonly from?: Readonly<Record<string, number>>;
  /** Priority of its jobs to which neither enqueue nor type gives one. Default 0. */
  readonly priority?: number;
  /** Names that it had before: rows that still have one are its own. */
  readonly formerly?: readonly string[];
  readonly fifo?: string;
  readonly deadLetterQueue?: string;
  readonly fifoDeadLetterQueue?: string;
  /** Timeout of its executor if it has its own; only known to operators. */
  readonly timeoutMs?: number;
}

/** History settings of a deployment; a type may override them. */
export const HISTORY_MODES = HISTORY_LEVELS;

/** The history level of jobs whose type sets none. */
export type HistoryMode = HistoryLevel;

/** Destinations of events in addition to listeners in the process. */
export interface EventsConfig {
  /** Kept in the History table. */
  readonly log?: boolean;
  /** Name or ARN of an event bus. */
  readonly bus?: string;
  /** What holds for log and bus until an operator switches. Default: on. */
  readonly on?: boolean;
}

/** The metrics that have the dimension `type` in addition to `worker`; each combination costs money every month. */
const METRICS_MODES = ['worker', 'type', 'off'] as const;

/** Metrics of these job types are published besides those of their worker. */
export interface MetricsOfTypes {
  readonly types: readonly string[];
}

/** Which metrics are published: by worker; by worker and type, of every type or of some; or none. */
export type MetricsMode = (typeof METRICS_MODES)[number] | MetricsOfTypes;

/** Bounds what a list can cost: each type has metrics of its own. */
const MAX_METRIC_TYPES = 20;

/** What is wrong with a choice of metrics; undefined if nothing is. */
export function metricsProblem(metrics: unknown): string | undefined {
  if (METRICS_MODES.some((mode) => mode === metrics)) return undefined;
  const { types } = (metrics ?? {}) as Partial<MetricsOfTypes>;
  if (!Array.isArray(types)) return `is not one of ${METRICS_MODES.join(', ')}, { types: [...] }`;
  if (types.length < 1 || types.length > MAX_METRIC_TYPES)
    return `names ${types.length} types. Name 1 to ${MAX_METRIC_TYPES}, or use 'type' for all`;
  if (types.some((type) => typeof type !== 'string' || type === '')) return 'names a type that is not a string';
  return new Set(types).size === types.length ? undefined : 'names a type twice';
}

/** The deployment, as a function knows it. */
export interface Deployment {
  readonly tables: Readonly<Record<TableName, string>>;
  readonly workers: ReadonlyMap<string, WorkerQueues>;
  readonly settings: Settings;
  /** Settings of the environment that this version does not know and leaves alone. Absent: none. */
  readonly unknownSettings?: readonly string[];
  readonly history: HistoryMode;
  readonly metrics: MetricsMode;
  /** Absent: events go nowhere. */
  readonly events?: EventsConfig;
  /** Set on an executor: the worker it is. */
  readonly worker?: string;
  /** Version of the function that runs, as Lambda names it. */
  readonly version?: string;
  /** Name that distinguishes this deployment's metrics from others in the account. */
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
  /** The bucket of large payloads. */
  readonly payloads?: string;
}

/** The environment variables of a function. Values may be CDK tokens: they are only put into texts, never looked at. */
export function encodeEnvironment(deployment: DeploymentInput, names: VariableNames = ENVIRONMENT): Record<string, string> {
  return {
    [names.tables]: JSON.stringify(deployment.tables),
    [names.workers]: JSON.stringify(deployment.workers),
    ...(deployment.settings && Object.keys(deployment.settings).length > 0
      ? { [names.settings]: JSON.stringify(deployment.settings) }
      : {}),
    ...(deployment.history === undefined ? {} : { [names.history]: deployment.history }),
    ...(deployment.metrics === undefined ? {} : { [names.metrics]: metricsText(deployment.metrics) }),
    ...(deployment.events === undefined ? {} : { [names.events]: JSON.stringify(deployment.events) }),
    ...(deployment.worker === undefined ? {} : { [names.worker]: deployment.worker }),
    ...(deployment.name === undefined ? {} : { [names.deployment]: deployment.name }),
    ...(deployment.payloads === undefined ? {} : { [names.payloads]: deployment.payloads }),
  };
}

/** How an environment is read. */
export interface DecodeOptions {
  /** The call that was forgotten where a variable is missing. */
  readonly forgotten?: string;
  /** The variables to read. Default: those without the name of a connection. */
  readonly names?: VariableNames;
}

/** Reads the variables back. A missing one names the call that was forgotten, a broken one its name. */
export function decodeEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  { forgotten = CONNECT, names = ENVIRONMENT }: DecodeOptions = {},
): Deployment {
  const tables = readJson(env, names.tables, forgotten);
  for (const name of TABLE_NAMES) {
    if (typeof tables[name] !== 'string') throw new InvalidConfigurationError(`${names.tables}: the name of table ${name} is missing.`);
  }
  const worker = env[names.worker];
  const name = env[names.deployment];
  const version = env['AWS_LAMBDA_FUNCTION_VERSION'];
  return {
    tables: tables as Record<TableName, string>,
    workers: new WorkersByName(
      Object.entries(readJson(env, names.workers, forgotten)).map(([name, queues]) => [name, readQueues(name, queues, names.workers)]),
    ),
    ...readSettings(env, names.settings),
    history: oneOf(env, names.history, HISTORY_MODES, 'outcome'),
    metrics: readMetrics(env[names.metrics] ?? 'worker', names.metrics),
    ...(env[names.events] === undefined ? {} : { events: readEvents(readJson(env, names.events), names.events) }),
    ...defined({ worker, version, name }),
  };
}

const CONNECT =
  'executor.connect(fn) on the JobExecutor construct, for the function that runs this code; deploymentEnvironment() with ports of your own';

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

/** A setting that this version does not know is a newer one's: its function runs, and says so. */
function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  variable: string,
): Pick<Deployment, 'settings' | 'unknownSettings'> {
  const given = env[variable] === undefined ? {} : (readJson(env, variable) as Record<string, number>);
  const unknown = unknownSettings(given);
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => !unknown.includes(name)));
  return { settings: resolveSettings(known), ...(unknown.length === 0 ? {} : { unknownSettings: unknown }) };
}

function readEvents({ log, bus, on }: Record<string, unknown>, variable: string): EventsConfig {
  const wrong =
    (log !== undefined && typeof log !== 'boolean') ||
    (bus !== undefined && typeof bus !== 'string') ||
    (on !== undefined && typeof on !== 'boolean');
  if (wrong) throw new InvalidConfigurationError(`${variable}: log and on are true or false, bus is the name of an event bus.`);
  return defined({ log, bus, on });
}

function readQueues(worker: string, queues: unknown, variable: string): WorkerQueues {
  const lanes = (queues as Partial<WorkerQueues> | null)?.lanes;
  if (typeof lanes !== 'object' || lanes === null || Object.values(lanes).some((url) => typeof url !== 'string')) {
    throw new InvalidConfigurationError(`${variable}: worker ${shown(worker)} has no lanes with queue URLs.`);
  }
  for (const name of ['fifo', 'deadLetterQueue', 'fifoDeadLetterQueue'] as const) {
    const url: unknown = (queues as WorkerQueues)[name];
    if (url !== undefined && typeof url !== 'string') {
      throw new InvalidConfigurationError(`${variable}: ${name} of worker ${shown(worker)} is not a queue URL.`);
    }
  }
  checkLanes(queues as WorkerQueues, `${variable}.${worker}`);
  const priority: unknown = (queues as WorkerQueues).priority;
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    throw new InvalidConfigurationError(`${variable}: priority of worker ${shown(worker)} is not a whole number.`);
  }
  const formerly: unknown = (queues as WorkerQueues).formerly;
  if (formerly !== undefined && !(Array.isArray(formerly) && formerly.every((name) => typeof name === 'string'))) {
    throw new InvalidConfigurationError(`${variable}: formerly of worker ${shown(worker)} is not a list of names.`);
  }
  return queues as WorkerQueues;
}

const metricsText = (metrics: MetricsMode): string => (typeof metrics === 'string' ? metrics : JSON.stringify(metrics));

function readMetrics(text: string, variable: string): MetricsMode {
  let metrics: unknown = text;
  if (text.startsWith('{')) metrics = readJson({ [variable]: text }, variable);
  const problem = metricsProblem(metrics);
  if (problem !== undefined) throw new InvalidConfigurationError(`${variable}: ${shown(metrics)} ${problem}.`);
  return metrics as MetricsMode;
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
