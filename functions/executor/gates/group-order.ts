import { groupHash } from '../../../shared/job/hint.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import { takeTurn } from '../../../shared/features/group-order/store/turn.ts';
import { wakeNext } from '../../../shared/features/group-order/store/wake.ts';
import { hasPlace, takePlaceWrites, waitingHash } from '../../../shared/store/group-places.ts';
import { park } from '../../../shared/store/park.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { ifCancelled, note, type Gate } from '../held-job.ts';

/** The groups with an order of which this invocation claimed a job. */
const met = new WeakMap<ExecutorInvocation, Set<string>>();

/** Remembers the group of a claimed job: however the job ends, the next one may be parked behind it. */
export function noteGroup(invocation: ExecutorInvocation, { group, groupPlace }: LeasedJob): void {
  if (group === undefined || groupPlace === undefined) return;
  met.set(invocation, (met.get(invocation) ?? new Set()).add(groupHash(group)));
}

/**
 * Parks a job of a group with `onFailure: 'block'` while another one of the group has started and not ended, or is before it. Jobs of
 * other groups cost nothing.
 */
export const groupOrderGate: Gate = async (invocation, { job }) => {
  const { group, groupPlace } = job;
  if (group === undefined || groupPlace === undefined) return 'pass';
  const { deps } = invocation;
  const hash = groupHash(group);
  if (await takeTurn(deps.tables, job, deps.clock.now())) return 'pass';
  const limit = { hash: waitingHash(hash), name: group, n: 1 };
  // A job that an operator made its group pass takes its place again, since it has to wait for others. With the move: a place that came later could outlive its job.
  const place = (await hasPlace(deps.tables, job)) ? [] : takePlaceWrites(job);
  const parked = await park(deps.tables, job, { limit, now: deps.clock.now(), place });
  if (parked.result === 'parked') note(deps, job, 'parked', { reason: 'group' });
  else await ifCancelled(deps, job, parked);
  return 'acknowledge';
};

/**
 * Makes the next job of a group ready if it is parked: after the jobs of a track, when the lock of their group is free. This also covers a job that
 * was parked while the one before it ended elsewhere. If it fails, the acquirer does it.
 */
export async function wakeBehind(invocation: ExecutorInvocation, groupHash: string): Promise<void> {
  if (met.get(invocation)?.has(groupHash) !== true) return;
  await wakeNext(invocation.deps, groupHash).catch((error: unknown) => invocation.storeFailed(error));
}
