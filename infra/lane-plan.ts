import { refuse, shownValue } from '../shared/config/deployment-checks.ts';
import { resolveSettings, SETTINGS, type Settings } from '../shared/config/settings.ts';
import { defined } from '../shared/core/defined.ts';
import { DEFAULT_LANE, laneBounds, lanesByUrgency, TIMER_LANE } from '../shared/core/lanes.ts';
import type { LaneProps, WorkerProps } from './job-executor-props.ts';
import type { WorkerReferences } from './references.ts';

/** What the event source of one lane takes: executors at the same time, and messages for each. */
export type LaneCapacity = Pick<Settings, 'maxConcurrency' | 'batchSize'>;

/** The lanes of a worker, checked. */
export interface WorkerLanePlan {
  /** By lane, the timers' included, the most urgent first. */
  readonly capacities: Readonly<Record<string, LaneCapacity>>;
  /** The lowest priority of each lane but the lowest. */
  readonly from: Readonly<Record<string, number>>;
  readonly priority?: number;
}

/** SQS lets no more queues name one dead-letter queue that lists them. */
const MOST_LANES = 10;
const KNOWN: readonly string[] = ['from', 'to', 'maxConcurrency', 'batchSize'] satisfies (keyof LaneProps)[];

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
  const from = laneBounds(lanes, `${field}.lanes`);
  const names = [...Object.keys(lanes), ...(timersFirst ? [TIMER_LANE] : [])];
  if (names.length > MOST_LANES) {
    refuse(
      `${field}.lanes`,
      `${names.length} lanes are more than the ${MOST_LANES} queues that may share a dead-letter queue. Use fewer, or another worker.`,
    );
  }
  const capacities = Object.fromEntries(
    lanesByUrgency(names, from).map((lane) => [lane, capacityOf(lanes[lane] ?? {}, settings, `${field}.lanes.${lane}`)]),
  );
  return { capacities, from, ...defined({ priority }) };
}

function capacityOf(lane: LaneProps, settings: Settings, field: string): LaneCapacity {
  for (const name of Object.keys(lane))
    if (!KNOWN.includes(name)) refuse(`${field}.${name}`, `is no option of a lane. Known are: ${KNOWN.join(', ')}.`);
  const { maxConcurrency = settings.maxConcurrency, batchSize = settings.batchSize } = lane;
  for (const [name, value] of Object.entries({ maxConcurrency, batchSize })) {
    const { min, max } = SETTINGS[name as keyof LaneCapacity];
    if (!Number.isInteger(value) || value < min || value > max) {
      refuse(`${field}.${name}`, `${shownValue(value)} is outside its range. Use a whole number from ${min} to ${max}.`);
    }
  }
  // A large batch needs a window, which is the worker's.
  return resolveSettings({ ...settings, maxConcurrency, batchSize });
}

/** How many executors the lanes may run at the same time. */
export function concurrencyOf({ capacities }: WorkerLanePlan): number {
  return Object.values(capacities).reduce((sum, { maxConcurrency }) => sum + maxConcurrency, 0);
}

/** Lanes and priority as `JobExecutor.attributes` hands them on. */
export function laneAttributes({ from, priority }: WorkerReferences): { laneFrom?: Readonly<Record<string, number>>; priority?: number } {
  return {
    ...(from === undefined || Object.keys(from).length === 0 ? {} : { laneFrom: from }),
    ...defined({ priority }),
  };
}
