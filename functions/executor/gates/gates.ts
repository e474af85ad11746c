import { cancelTerms, endAsCancelled } from '../../../shared/store/cancel.ts';
import { readBatchHead } from '../../../shared/features/batches/store/batch-rows.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import type { ExecutorDeps } from '../deps.ts';
import { type Candidate, type Gate, ifCancelled, jobEnded, note } from '../held-job.ts';
import { iso } from '../../../shared/job/instant.ts';
import { ranBefore } from '../../../shared/job/job.ts';
import { buryInErrorGroup } from '../../../shared/store/burials.ts';
import { endUnstarted } from '../../../shared/store/end-unstarted.ts';
import { groupOrderGate } from './group-order.ts';
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
    ? await buryInErrorGroup(deps, job, { reason: 'expired', error, requestId, attempt: 0, by: 'owner' })
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
  const terms = { ...cancelTerms(invocation.deps), cancelReason: 'its batch was cancelled' };
  if (await endAsCancelled(invocation.deps.tables, job, 'owner', terms)) jobEnded(invocation.deps, job, 'cancelled', { reason: 'batch' });
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
