import { explore } from '../exhaustive/explore.ts';
import { flowNamed } from '../exhaustive/flows/flows.ts';
import { busyQueue } from './flows/busy-queue.ts';
import { cancelUnderMove } from './flows/cancel-under-move.ts';
import { joinedWhileRead } from './flows/joined-while-read.ts';
import { keyOutlived } from './flows/key-outlived.ts';
import { keptMessages } from './flows/kept-messages.ts';
import { lateCancel } from './flows/late-cancel.ts';
import { lostEnds } from './flows/lost-ends.ts';
import { cancelledOccurrence, pausedWhileMended, startedWhilePaused } from './flows/paused-in-between.ts';
import { outsideGroups } from './flows/outside-groups.ts';
import { renewedInTime } from './flows/renewed-in-time.ts';
import { rollBack } from './flows/roll-back.ts';
import { slowProducer } from './flows/slow-producer.ts';
import { toldByTwo } from './flows/told-by-two.ts';
import { toldInTime } from './flows/told-in-time.ts';

/** What a flow broke. */
export interface Break {
  readonly rule: string;
  readonly what: string;
}

/** Flows for mutants that no simulated half hour shows. */
export const FLOWS = {
  busyQueue,
  cancelUnderMove,
  cancelledOccurrence,
  joinedWhileRead,
  keptMessages,
  keyOutlived,
  lateCancel,
  lostEnds,
  pausedWhileMended,
  outsideGroups,
  renewedInTime,
  rollBack,
  slowProducer,
  startedWhilePaused,
  toldByTwo,
  toldInTime,
} as const satisfies Readonly<Record<string, () => Promise<readonly Break[]>>>;

/** A flow of this folder, or all single faults of a flow of test/exhaustive. */
export type FlowName = keyof typeof FLOWS | `exhaustive/${string}`;

const EXHAUSTIVE = 'exhaustive/';

/** What runs the flow and tells what it broke; throws an Error when there is no such flow. */
export function flowOf(name: string): () => Promise<readonly Break[]> {
  if (!name.startsWith(EXHAUSTIVE)) {
    if (!Object.hasOwn(FLOWS, name)) throw new Error(`There is no flow ${name}.`);
    return FLOWS[name as keyof typeof FLOWS];
  }
  const flow = flowNamed(name.slice(EXHAUSTIVE.length));
  return async () => {
    const { broken } = await explore(flow, 0);
    return broken.flatMap(({ faults, findings }) =>
      findings.map((finding): Break => {
        const [rule = ''] = finding.split(':');
        return { rule, what: `${finding.slice(rule.length + 2)} (with ${faults || 'no faults'})` };
      }),
    );
  };
}
