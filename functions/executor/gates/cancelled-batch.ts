import { cancelTerms, endAsCancelled } from '../../../shared/store/cancel.ts';
import { readBatchHead } from '../../../shared/features/batches/store/batch-rows.ts';
import type { Batch } from '../batch.ts';
import { jobEnded } from '../deps.ts';
import type { Gate } from './gate.ts';

/** How old the answer may be whether a batch is cancelled. */
const FRESH_MS = 5_000;

/** Children of a cancelled batch end instead of running. One read for each batch that an invocation meets; none for a job without one. */
export const cancelledBatchGate: Gate = async (batch, { job }) => {
  if (job.batch === undefined || !(await isCancelled(batch, job.batch))) return 'pass';
  const terms = { ...cancelTerms(batch.deps), cancelReason: 'its batch was cancelled' };
  if (await endAsCancelled(batch.deps.tables, job, 'owner', terms)) jobEnded(batch.deps, job, 'cancelled', { reason: 'batch' });
  return 'acknowledge';
};

interface Asked {
  readonly at: number;
  readonly cancelled: Promise<boolean>;
}

const asked = new WeakMap<Batch, Map<string, Asked>>();

async function isCancelled(batch: Batch, id: string): Promise<boolean> {
  const { deps } = batch;
  const known = asked.get(batch) ?? new Map<string, Asked>();
  asked.set(batch, known);
  const now = deps.clock.now();
  const before = known.get(id);
  // A clock that went back makes an answer younger than it is.
  const isFresh = ({ at }: Asked): boolean => now >= at && now - at < FRESH_MS;
  if (before !== undefined && isFresh(before)) return before.cancelled;
  // A worker outside Lambda lives for weeks.
  for (const [old, answer] of known) if (!isFresh(answer)) known.delete(old);
  // Nobody knows: the child runs, as it would have a moment before the cancel.
  const cancelled = readBatchHead(deps.tables, id).then(
    (head) => head?.cancelledAt !== undefined,
    (error: unknown) => {
      batch.storeFailed(error);
      return false;
    },
  );
  known.set(id, { at: now, cancelled });
  return cancelled;
}
