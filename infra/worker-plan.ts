import { checkOutsideSettings, refuse, withPath } from '../shared/config/deployment-checks.ts';
import type { Settings } from '../shared/config/settings.ts';
import type { JobExecutorProps, WorkerProps } from './job-executor-props.ts';
import { planLanes, type WorkerLanePlan } from './lane-plan.ts';
import { checkedSettings, executorSettingValues } from './settings.ts';

/** A worker as it will be made. */
export interface WorkerPlan {
  readonly props: WorkerProps;
  /** Overrides in force for this worker, and all settings that follow. */
  readonly overrides: Record<string, number>;
  readonly settings: Settings;
  readonly lanes: WorkerLanePlan;
  /** Timeout of its executor where it has one of its own. */
  readonly timeoutMs?: number;
}

/** Options of a worker with a function. */
const OF_FUNCTIONS = ['entry', 'code', 'handler', 'environment', 'functionProps'] as const;

/** Options of an event source. A worker outside Lambda has none, nor do its lanes. */
const OF_EVENT_SOURCES = ['maxConcurrency', 'batchSize', 'batchWindow', 'pollers'] as const;

/** Plans the workers of a deployment; throws InvalidConfigurationError for invalid props. */
export function planWorkers(props: JobExecutorProps, overrides: Record<string, number>): ReadonlyMap<string, WorkerPlan> {
  return new Map(
    Object.entries(props.workers).map(([worker, one]) => {
      checkPlace(worker, one);
      const field = `workers.${worker}.settings`;
      const own = { ...overrides, ...executorSettingValues(one.settings, field) };
      const settings = checkedSettings(own, field);
      if (one.outside === true) withPath(field, () => checkOutsideSettings(settings));
      const timeout = own['executorTimeoutMs'] === overrides['executorTimeoutMs'] ? {} : { timeoutMs: settings.executorTimeoutMs };
      return [worker, { props: one, overrides: own, settings, lanes: planLanes(worker, one, settings), ...timeout }];
    }),
  );
}

function checkPlace(worker: string, props: WorkerProps): void {
  if (props.outside === true) {
    const given = OF_FUNCTIONS.find((prop) => props[prop] !== undefined);
    if (given !== undefined) refuse(`workers.${worker}.${given}`, 'a worker outside Lambda has no function. Leave it out, or outside.');
    refuseEventSource(worker, props);
  } else if ((props.entry === undefined) === (props.code === undefined)) {
    refuse(`workers.${worker}`, 'give either entry, the file that exports handler, or code, which is bundled already; or outside: true.');
  }
}

function refuseEventSource(worker: string, { pollers, settings, lanes = {} }: WorkerProps): void {
  const places: Readonly<Record<string, object | undefined>> = {
    '': { pollers },
    '.settings': settings,
    ...Object.fromEntries(Object.entries(lanes).map(([lane, props]) => [`.lanes.${lane}`, props])),
  };
  for (const [place, props] of Object.entries(places)) {
    const given = OF_EVENT_SOURCES.find((prop) => (props as Readonly<Record<string, unknown>> | undefined)?.[prop] !== undefined);
    if (given === undefined) continue;
    refuse(
      `workers.${worker}${place}.${given}`,
      'a worker outside Lambda has no event source. Leave it out: its processes say how many jobs they run.',
    );
  }
}
