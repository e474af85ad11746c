import type { Hint } from './hint.ts';
import { laneInUse, type WorkerLanes } from './lanes.ts';
import { LIMITS } from './size-limits.ts';

/** The queues of a worker, for routing: its lanes, and whether there is a FIFO queue. */
export interface RouteQueues extends WorkerLanes {
  readonly fifo?: unknown;
}

/** Where a hint goes. */
export interface HintRoute {
  readonly kind: 'standard' | 'fifo';
  readonly lane: string;
  /** Whole seconds, rounded up, at most 900; always 0 on FIFO, which takes no delay per message. */
  readonly delaySeconds: number;
  /** It belongs to the FIFO queue and only waits for its delay on the lane's standard queue. */
  readonly forward: boolean;
}

/**
 * The queue of a hint: FIFO for a grouped job that is due, otherwise its lane's standard queue. A lane that a deployment took
 * away is replaced by the one of the hint's priority. `undefined` when the worker is gone; the job is then left to the sweeper.
 */
export function routeHint(hint: Hint, queues: RouteQueues | undefined): HintRoute | undefined {
  if (queues === undefined) return undefined;
  const lane = laneInUse(hint.lane, hint.priority ?? 0, queues);
  if (!Object.hasOwn(queues.lanes, lane)) return undefined;
  const delaySeconds = Math.ceil(Math.min(Math.max(hint.delayMs, 0), LIMITS.queueDelayMs) / 1000);
  const grouped = hint.groupHash !== undefined && queues.fifo !== undefined;
  if (grouped && delaySeconds === 0) return { kind: 'fifo', lane, delaySeconds: 0, forward: false };
  return { kind: 'standard', lane, delaySeconds, forward: grouped };
}
