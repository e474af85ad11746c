import { defined } from '../job/defined.ts';
import { InvalidConfigurationError, shown } from '../job/errors.ts';
import { DEFAULT_LANE, LANE_CHECKS, laneBounds, type LaneRange, lanesByUrgency, TIMER_LANE } from '../job/lanes.ts';
import { checkOptions, checkPriority } from '../job/names.ts';
import { checkedInUse, checkEachOption, checkSwitch, eachOf, nested, type OptionChecks } from '../job/option-checks.ts';
import { ALL_WORKERS } from '../job/worker-names.ts';
import { TABLE_NAMES } from '../ports/table-spec.ts';
import type { TableName } from '../ports/tables.ts';
import {
  checkChoice,
  checkDelayHorizon,
  checkFirstRedispatch,
  checkHorizon,
  checkWorkerNames,
  refuse,
  withPath,
} from './deployment-checks.ts';
import {
  encodeEnvironment,
  type EventsConfig,
  HISTORY_MODES,
  type HistoryMode,
  type MetricsMode,
  metricsProblem,
  type WorkerQueues,
} from './environment.ts';
import { resolveSettings, SETTINGS, type SettingName } from './settings.ts';

/** A worker without AWS's queues. All have defaults. */
export interface OwnWorkerOptions {
  /** The lanes and their priorities, as the construct takes them. Default: one lane for all. */
  readonly lanes?: Readonly<Record<string, LaneRange>>;
  /** A lane of its own for fired timers. Default: none. */
  readonly timersFirst?: boolean;
  /** Priority of jobs to which neither enqueue nor type gives one. Default 0. */
  readonly priority?: number;
  /** Whether the worker has a FIFO queue for jobs with an exclusive group. Default: it has. */
  readonly groups?: boolean;
}

/** Options of `deploymentEnvironment`; all have defaults. */
export interface DeploymentOptions {
  /** The workers by name. Default: one, `default`. */
  readonly workers?: Readonly<Record<string, OwnWorkerOptions>>;
  /** The worker that this process is; only executors and `runWorker` need it. Default: none. */
  readonly worker?: string;
  /** Settings that differ from their defaults, durations in milliseconds: `executorTimeoutMs`. Give all processes of a deployment the same. */
  readonly settings?: Partial<Readonly<Record<SettingName, number>>>;
  /** Default `outcome`. */
  readonly history?: HistoryMode;
  /** Default `off`. */
  readonly metrics?: MetricsMode;
  /** The event log. Default: none. */
  readonly events?: Pick<EventsConfig, 'log' | 'on'>;
}

const WORKER_CHECKS: OptionChecks<OwnWorkerOptions> = {
  // Their ranges are checked with each other.
  lanes: eachOf(nested(LANE_CHECKS), 'Give the lanes by name: { high: { from: 10 }, rest: { to: 9 } }.'),
  timersFirst: checkSwitch,
  priority: (field, value) => void checkPriority(value, field),
  groups: checkSwitch,
};

const EVENTS_CHECKS: OptionChecks<NonNullable<DeploymentOptions['events']>> = { log: checkSwitch, on: checkSwitch };

const CHECKS: OptionChecks<DeploymentOptions> = {
  workers: eachOf(nested(WORKER_CHECKS), 'Give the workers by name: { default: {} }.'),
  worker: checkedInUse,
  settings: checkSettings,
  history: (field, value) => checkChoice(field, value, HISTORY_MODES),
  metrics: (field, value) => {
    const problem = metricsProblem(value);
    if (problem !== undefined) refuse(field, `${shown(value)} ${problem}.`);
    if (typeof value === 'object') checkOptions(value, ['types'], field);
  },
  events: nested(EVENTS_CHECKS),
};

/** Refuses settings that the construct would refuse, except for what only AWS limits. */
function checkSettings(field: string, given: unknown): void {
  checkOptions(given, Object.keys(SETTINGS), field);
  withPath(field, () => {
    const settings = resolveSettings(given as Partial<Record<SettingName, number>>);
    checkFirstRedispatch(settings, 'firstRedispatchAfterMs');
    checkHorizon(settings, 'horizonMs', 'acquirerIntervalMs');
    checkDelayHorizon(settings, 'delayHorizonMs', 'horizonMs');
  });
}

/**
 * The environment of a deployment without the construct, for `environment` of what gets `ports` of one's own. Throws InvalidInputError or
 * InvalidConfigurationError for a worker, lane or setting that there cannot be.
 */
export function deploymentEnvironment(options: DeploymentOptions = {}): Record<string, string> {
  checkEachOption(options, CHECKS);
  const { workers = { default: {} }, worker, settings = {}, history, metrics = 'off', events } = options;
  const known = Object.keys(workers);
  checkWorkerNames(known, [ALL_WORKERS]);
  if (worker !== undefined && !known.includes(worker)) {
    throw new InvalidConfigurationError(`worker: ${shown(worker)} is not a worker of this deployment. Known are: ${known.join(', ')}.`);
  }
  return encodeEnvironment({
    tables: Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>,
    workers: Object.fromEntries(known.map((name) => [name, ownQueues('own', name, workers[name])])),
    settings: defined(settings),
    metrics,
    ...defined({ worker, history, events }),
  });
}

/** The queues of a worker whose addresses mean nothing to AWS; `place` begins them. No two queues of a deployment end alike. */
export function ownQueues(place: string, worker: string, options: OwnWorkerOptions = {}): WorkerQueues {
  const { lanes = { [DEFAULT_LANE]: {} }, timersFirst = false, priority, groups = true } = options;
  const from = laneBounds(lanes, `workers.${worker}.lanes`);
  const names = lanesByUrgency([...Object.keys(lanes), ...(timersFirst ? [TIMER_LANE] : [])], from);
  return {
    lanes: Object.fromEntries(names.map((lane) => [lane, `${place}/${worker}.${lane}`])),
    ...(Object.keys(from).length === 0 ? {} : { from }),
    ...(priority === undefined ? {} : { priority: checkPriority(priority, `workers.${worker}.priority`) }),
    ...(groups ? { fifo: `${place}/${worker}.groups.fifo` } : {}),
    deadLetterQueue: `${place}/${worker}-dlq`,
    ...(groups ? { fifoDeadLetterQueue: `${place}/${worker}-dlq.fifo` } : {}),
  };
}
