import { explore } from '../exhaustive/explore.ts';
import { flowNamed } from '../exhaustive/flows/flows.ts';
import { parsePair } from '../orders/meetings.ts';
import { walkPair } from '../orders/walk-pair.ts';
import type { Break } from './flows/break.ts';
import { buriedInBetween } from './flows/buried-in-between.ts';
import { busyQueue } from './flows/busy-queue.ts';
import { cancelUnderMove } from './flows/cancel-under-move.ts';
import { joinedWhileRead } from './flows/joined-while-read.ts';
import { keyOutlived } from './flows/key-outlived.ts';
import { keptMessages } from './flows/kept-messages.ts';
import { lateCancel } from './flows/late-cancel.ts';
import { lostEnds } from './flows/lost-ends.ts';
import { cancelledOccurrence, pausedWhileMended, startedWhilePaused } from './flows/paused-in-between.ts';
import { outsideGroups } from './flows/outside-groups.ts';
import { movingQueue } from './flows/moving-queue.ts';
import { movedAway, renamedWorker } from './flows/moved-workers.ts';
import { renewedInTime } from './flows/renewed-in-time.ts';
import { rollBack } from './flows/roll-back.ts';
import { slowProducer } from './flows/slow-producer.ts';
import { toldByTwo } from './flows/told-by-two.ts';
import { toldInTime } from './flows/told-in-time.ts';
import { workerOff } from './flows/worker-off.ts';

/** Flows for mutants that no simulated half hour shows. */
export const FLOWS = {
  buriedInBetween,
  busyQueue,
  cancelUnderMove,
  cancelledOccurrence,
  joinedWhileRead,
  keptMessages,
  keyOutlived,
  lateCancel,
  lostEnds,
  movedAway,
  movingQueue,
  pausedWhileMended,
  outsideGroups,
  renamedWorker,
  renewedInTime,
  rollBack,
  slowProducer,
  startedWhilePaused,
  toldByTwo,
  toldInTime,
  workerOff,
} as const satisfies Readonly<Record<string, () => Promise<readonly Break[]>>>;

/** A flow of this folder, all single faults of a flow of test/proofs/exhaustive, or all orders of a pair of test/proofs/orders. */
export type FlowName = keyof typeof FLOWS | `exhaustive/${string}` | `orders/${string}`;

const EXHAUSTIVE = 'exhaustive/';
const ORDERS = 'orders/';
/** A pair that a mutant names has few orders. */
const MOST_ORDERS = 1_000;

/** A function that runs the flow and returns the rules it broke; throws an Error if there is no such flow. */
export function flowOf(name: string): () => Promise<readonly Break[]> {
  if (name.startsWith(ORDERS)) return ordersOf(name.slice(ORDERS.length));
  if (!name.startsWith(EXHAUSTIVE)) {
    if (!Object.hasOwn(FLOWS, name)) throw new Error(`There is no flow ${name}.`);
    return FLOWS[name as keyof typeof FLOWS];
  }
  const flow = flowNamed(name.slice(EXHAUSTIVE.length));
  return async () => {
    const { broken } = await explore(flow, { paired: 0, base: 1 });
    return broken.flatMap(({ faults, findings }) => breaksOf(findings, faults));
  };
}

function ordersOf(pair: string): () => Promise<readonly Break[]> {
  const meeting = parsePair(pair);
  if (meeting === undefined) throw new Error(`There is no pair ${pair}.`);
  return async () => {
    const { broken } = await walkPair(meeting.verbs, meeting.situation, { most: MOST_ORDERS, pick: () => [] });
    return broken.flatMap(({ order, findings }) => breaksOf(findings, `the order ${order}`));
  };
}

function breaksOf(findings: readonly string[], by: string): readonly Break[] {
  return findings.map((finding): Break => {
    const [rule = ''] = finding.split(':');
    return { rule, what: `${finding.slice(rule.length + 2)} (with ${by || 'no faults'})` };
  });
}
