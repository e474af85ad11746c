import { cancelTerms, endAsCancelled } from '../../../shared/store/cancel.ts';
import { readBatchHead } from '../../../shared/features/batches/store/batch-rows.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { jobEnded, type Gate } from '../held-job.ts';

/** How long a cached "is this batch cancelled?" answer stays valid. */
const FRESH_MS = 5_000;

/** Cancels children of a cancelled batch instead of running them. Costs one read per batch and invocation; none for jobs without a batch. */
export const cancelledBatchGate: Gate = async (invocation, { job }) => {
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
