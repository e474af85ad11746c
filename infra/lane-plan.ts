import { refuse, shownValue, withPath } from '../shared/config/deployment-checks.ts';
import { resolveSettings, SETTINGS, type Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/job/defined.ts';
import { DEFAULT_LANE, laneBounds, lanesByUrgency, TIMER_LANE } from '../shared/job/lanes.ts';
import { checkedInUse } from '../shared/job/option-checks.ts';
import type { LaneProps, WorkerProps } from './job-executor-props.ts';
import { checkShape, type PropsShape } from './option-checks.ts';
import { checkPollers, type PollerProps, runByPollers } from './pollers.ts';
import type { WorkerReferences } from './references.ts';

/** Concurrency, batch size and pollers of the event source of one lane. */
export interface LaneCapacity extends Pick<Settings, 'maxConcurrency' | 'batchSize'> {
  readonly pollers?: PollerProps;
}

/** The lanes of a worker, checked. */
export interface WorkerLanePlan {
  /** By lane, the timers' included, the most urgent first. */
  readonly capacities: Readonly<Record<string, LaneCapacity>>;
  /** Of the FIFO queue. */
  readonly fifo: LaneCapacity;
  /** The lowest priority of each lane but the lowest. */
  readonly from: Readonly<Record<string, number>>;
  readonly priority?: number;
}

/** The maximum number of source queues that a dead-letter queue can list. */
const MAX_LANES = 10;
/** Priorities are checked with those of the other lanes, capacities with the worker's settings. */
const LANE: PropsShape<LaneProps> = {
  of: 'a lane',
  example: '{ from: 10 }',
  checks: {
    from: checkedInUse,
    to: checkedInUse,
    maxConcurrency: checkedInUse,
    batchSize: checkedInUse,
    pollers: (field, value) => checkPollers(field, value as PollerProps),
  },
};

/** Refuses lanes with gaps and overlaps, capacities outside their range, and a priority that is none; names the field and the fix. */
export function planLanes(worker: string, props: WorkerProps, settings: Settings): WorkerLanePlan {
  const { lanes = { [DEFAULT_LANE]: {} }, timersFirst = false, priority } = props;
  const field = `workers.${worker}`;
  if (typeof lanes !== 'object' || lanes === null || Array.isArray(lanes)) {
    refuse(`${field}.lanes`, `${shownValue(lanes)} are no lanes. Give them by name: { urgent: { from: 10 }, default: { to: 9 } }.`);
  }
  if (typeof timersFirst !== 'boolean') refuse(`${field}.timersFirst`, `${shownValue(timersFirst)} is neither true nor false.`);
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    refuse(`${field}.priority`, `${shownValue(priority)} is no priority. Use a whole number; higher is more urgent.`);
  }
  checkPollers(`${field}.pollers`, props.pollers);
  const from = laneBounds(lanes, `${field}.lanes`);
  const names = [...Object.keys(lanes), ...(timersFirst ? [TIMER_LANE] : [])];
  if (names.length > MAX_LANES) {
    refuse(
      `${field}.lanes`,
      `${names.length} lanes are more than the ${MAX_LANES} queues that may share a dead-letter queue. Use fewer, or another worker.`,
    );
  }
  const capacities = Object.fromEntries(
    lanesByUrgency(names, from).map((lane) => [
      lane,
      capacityOf({ ...defined({ pollers: props.pollers }), ...lanes[lane] }, settings, { worker: field, field: `${field}.lanes.${lane}` }),
    ]),
  );
  const { maxConcurrency, batchSize } = settings;
  return { capacities, fifo: { maxConcurrency, batchSize, ...defined({ pollers: props.pollers }) }, from, ...defined({ priority }) };
}

/** Where a lane and its worker are given. */
interface LanePath {
  readonly worker: string;
  readonly field: string;
}

function capacityOf(lane: LaneProps, settings: Settings, { worker, field }: LanePath): LaneCapacity {
  checkShape(field, lane, LANE);
  const { maxConcurrency = settings.maxConcurrency, batchSize = settings.batchSize, pollers } = lane;
  if (pollers !== undefined && lane.maxConcurrency !== undefined) {
    refuse(
      `${field}.maxConcurrency`,
      `${shownValue(maxConcurrency)} cannot be combined with pollers: Lambda takes one of them. Use pollers.maximum (ten executors each), or leave pollers out.`,
    );
  }
  for (const [name, value] of Object.entries({ maxConcurrency, batchSize })) {
    const { min, max } = SETTINGS[name as 'maxConcurrency' | 'batchSize'];
    if (!Number.isInteger(value) || value < min || value > max) {
      refuse(`${field}.${name}`, `${shownValue(value)} is outside its range. Use a whole number from ${min} to ${max}.`);
    }
  }
  withPath(field, () => resolveSettings({ ...settings, maxConcurrency }));
  // A large batch needs a window, which is the worker's.
  withPath(`${worker}.settings`, () => resolveSettings({ ...settings, batchSize }));
  return { maxConcurrency, batchSize, ...defined({ pollers }) };
}

/** How many executors the given event sources may run at the same time; Infinity where one has no limit. */
export function concurrencyOf(capacities: readonly LaneCapacity[]): number {
  return capacities.reduce((sum, one) => sum + mostOf(one), 0);
}

function mostOf({ maxConcurrency, pollers }: LaneCapacity): number {
  if (pollers !== undefined) return runByPollers(pollers);
  return maxConcurrency === 0 ? Number.POSITIVE_INFINITY : maxConcurrency;
}

/** Lanes, priority and former names for `JobExecutor.attributes`. */
export function laneAttributes({
  from,
  priority,
  formerly,
}: WorkerReferences): { laneFrom?: Readonly<Record<string, number>> } & Pick<WorkerReferences, 'priority' | 'formerly'> {
  return {
    ...(from === undefined || Object.keys(from).length === 0 ? {} : { laneFrom: from }),
    ...defined({ priority, formerly }),
  };
}
