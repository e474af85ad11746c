import type { Hint } from './hint.ts';
import { LIMITS } from './limits.ts';

/** What a route has to know of a worker's queues: which lanes there are, and whether there is a FIFO queue. */
export interface RouteQueues {
  readonly lanes: Readonly<Record<string, unknown>>;
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
 * The queue of a hint: FIFO for a grouped job that is due, otherwise its lane's standard queue. `undefined` when the worker
 * has no such lane; the job is then left to the sweeper, so that a roll-back does not lose it.
 */
export function routeHint(hint: Hint, queues: RouteQueues | undefined): HintRoute | undefined {
  if (queues === undefined || !Object.hasOwn(queues.lanes, hint.lane)) return undefined;
  const delaySeconds = Math.ceil(Math.min(Math.max(hint.delayMs, 0), LIMITS.queueDelayMs) / 1000);
  const grouped = hint.groupHash !== undefined && queues.fifo !== undefined;
  if (grouped && delaySeconds === 0) return { kind: 'fifo', lane: hint.lane, delaySeconds: 0, forward: false };
  return { kind: 'standard', lane: hint.lane, delaySeconds, forward: grouped };
}
