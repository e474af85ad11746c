import { readBatchHead } from '../../../shared/features/batches/store/batch-rows.ts';
import { takeTurn } from '../../../shared/features/group-order/store/turn.ts';
import { wakeNext } from '../../../shared/features/group-order/store/wake.ts';
import { groupHash } from '../../../shared/job/hint.ts';
import { iso } from '../../../shared/job/instant.ts';
import { type LeasedJob, ranBefore } from '../../../shared/job/job.ts';
import { buryInErrorGroup } from '../../../shared/store/burials.ts';
import { cancelTerms } from '../../../shared/store/cancel.ts';
import { endUnstarted } from '../../../shared/store/end-unstarted.ts';
import { hasPlace, takePlaceWrites, waitingHash } from '../../../shared/store/group-places.ts';
import { park } from '../../../shared/store/park.ts';
import type { ExecutorDeps } from '../deps.ts';
import { type Candidate, cancelUnstarted, type Gate, ifCancelled, jobEnded, note } from '../held-job.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { limitsGate } from './limits.ts';
import { rulesGate } from './rules.ts';
import { scheduleGate } from './schedule.ts';

/**
 * Ends a job that had to start earlier and never did: as `expired`, or as a dead letter if its type says so. Retries and continuations may
 * start at any time. Costs nothing for a job that starts in time.
 */
const expiryGate: Gate = async ({ deps, requestId }, { job, handled }) => {
  const now = deps.clock.now();
  if (job.startBy === undefined || now <= job.startBy || ranBefore(job, 1)) return 'pass';
  const buries = handled.type.onExpiry === 'dead-letter';
  const error = { name: 'JobExpired', message: `It had to start by ${iso(job.startBy)}, and no executor was free in time.`, at: now };
  const ended = buries
    ? await buryInErrorGroup(deps, job, {
        reason: 'expired',
        error,
        counters: { starts: job.starts - 1 },
        requestId,
        attempt: 0,
        by: 'owner',
      })
    : await endUnstarted(deps.tables, job, { outcome: 'expired' }, cancelTerms(deps));
  if (ended.result === 'expired') jobEnded(deps, job, 'expired');
  else if (ended.result === 'dead') jobEnded(deps, job, 'dead-lettered', { error, reason: 'expired' });
  else if (!(await ifCancelled(deps, job, ended))) note(deps, job, 'lost-lease');
  return 'acknowledge';
};

/** How long a cached "is this batch cancelled?" answer stays valid. */
const FRESH_MS = 5_000;

/** Cancels children of a cancelled batch instead of running them. Costs one read per batch and invocation; none for jobs without a batch. */
const cancelledBatchGate: Gate = async (invocation, { job }) => {
  if (job.batch === undefined || !(await isCancelled(invocation, job.batch))) return 'pass';
  if (await cancelUnstarted(invocation.deps, job, { cancelReason: 'its batch was cancelled' }))
    jobEnded(invocation.deps, job, 'cancelled', { reason: 'batch' });
  return 'acknowledge';
};

interface Asked {
  readonly at: number;
  readonly cancelled: Promise<boolean>;
}

const asked = new WeakMap<ExecutorInvocation, Map<string, Asked>>();

async function isCancelled(invocation: ExecutorInvocation, id: string): Promise<boolean> {
  const { deps } = invocation;
  const known = asked.get(invocation) ?? new Map<string, Asked>();
  asked.set(invocation, known);
  const now = deps.clock.now();
  const before = known.get(id);
  // If the clock was set back, the answer looks younger than it is.
  const isFresh = ({ at }: Asked): boolean => now >= at && now - at < FRESH_MS;
  if (before !== undefined && isFresh(before)) return before.cancelled;
  // A worker outside Lambda runs for weeks.
  for (const [old, answer] of known) if (!isFresh(answer)) known.delete(old);
  // If the store does not answer, the child runs, as it would have just before the cancel.
  const cancelled = readBatchHead(deps.tables, id).then(
    (head) => head?.cancelledAt !== undefined,
    (error: unknown) => {
      invocation.storeFailed(error);
      return false;
    },
  );
  known.set(id, { at: now, cancelled });
  return cancelled;
}

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
const groupOrderGate: Gate = async (invocation, { job }) => {
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

/** A gate, and the jobs that it concerns: the others do not enter it. */
interface GateOfJobs {
  readonly gate: Gate;
  readonly concerns: (candidate: Candidate, deps: ExecutorDeps) => boolean;
}

/** In the order of evaluation: gates that cost nothing come before gates that write. A plain job enters only that of the rules. */
export const GATES: readonly GateOfJobs[] = [
  { gate: expiryGate, concerns: ({ job }) => job.startBy !== undefined },
  { gate: rulesGate, concerns: () => true },
  { gate: cancelledBatchGate, concerns: ({ job }) => job.batch !== undefined },
  { gate: scheduleGate, concerns: ({ job }) => job.schedule !== undefined },
  { gate: groupOrderGate, concerns: ({ job }) => job.groupPlace !== undefined },
  { gate: limitsGate, concerns: ({ handled }, { limits }) => limits !== undefined || handled.type.limits.length > 0 },
];
