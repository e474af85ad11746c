import { decideCrash } from '../../shared/core/decide.ts';
import { errorText } from '../../shared/core/error-text.ts';
import { StoreUnavailableError } from '../../shared/core/errors.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import { executorOwner, isQueueOwner, ranAlone } from '../../shared/core/lock-owner.ts';
import { buryInGroup } from '../../shared/features/error-groups/store/bury-in-group.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { type Claim, claim, type Lease, takeOver } from '../../shared/store/claim.ts';
import { returnToQueue } from '../../shared/store/return-to-queue.ts';
import { quarantineInGroup } from '../../shared/features/error-groups/store/quarantine-in-group.ts';
import { retryOnce } from './retry-once.ts';
import type { Batch } from './batch.ts';
import { ifCancelled } from './if-cancelled.ts';
import { requeue, type Disposition } from './requeue.ts';
import { jobEnded, note } from './deps.ts';
import type { Delivery } from './receive.ts';

/** A job that is claimed and may run, or what becomes of its message. */
export type ClaimedOrSettled = { readonly job: LeasedJob } | { readonly disposition: Disposition };

interface Asked {
  readonly delivery: Delivery;
  readonly alone: boolean;
  readonly lease: Lease;
}

/** Claims the job of a delivery, or settles its message. Throws when the store does not answer; the claim is undone as far as it can be. */
export async function claimDelivery(batch: Batch, delivery: Delivery, alone: boolean): Promise<ClaimedOrSettled> {
  const { tables, clock, entropy } = batch.deps;
  const lease: Lease = { owner: executorOwner(entropy.token(), alone), expiresAt: batch.leaseUntil };
  try {
    const claimed = await retryOnce(() => claim(tables, delivery.hint, lease, clock.now()));
    return await afterClaim(batch, { delivery, alone, lease }, claimed);
  } catch (error) {
    if (error instanceof StoreUnavailableError) await undoClaim(batch, { id: delivery.hint.id, lockOwner: lease.owner });
    throw error;
  }
}

/**
 * The store does not answer, so the lease would run out, and look like a crash of a job that ran alone. Fenced by the lease: where
 * the outcome or somebody else was faster, nothing happens. One that was asked to stop meanwhile ends. `dueAt` holds a job back whose
 * handler may still run.
 */
export async function undoClaim({ deps }: Batch, job: Pick<LeasedJob, 'id' | 'lockOwner'>, dueAt?: number): Promise<void> {
  const { redispatchAfterMs } = deps.deployment.settings;
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), redispatchAfterMs };
  try {
    const undone = await returnToQueue(deps.tables, job, dueAt === undefined ? {} : { dueAt }, terms);
    if (undone.result === 'cancel-asked') await ifCancelled(deps, undone.job, undone);
  } catch (error) {
    deps.journal.record({ event: 'store-failed', error: errorText(error, terms.now) });
  }
}

async function afterClaim(batch: Batch, asked: Asked, claimed: Claim): Promise<ClaimedOrSettled> {
  const { deps } = batch;
  const { delivery } = asked;
  const { worker } = delivery.message.queue;
  switch (claimed.result) {
    case 'gone':
    case 'stale':
      deps.journal.record({ event: 'lost-claim', worker, reason: claimed.result });
      return { disposition: 'acknowledge' };
    case 'held':
      deps.journal.record({ event: 'lost-claim', worker, reason: 'held' });
      return { disposition: await requeue(batch, delivery, Math.max(1_000, claimed.until - deps.clock.now())) };
    case 'not-due':
      return { disposition: await requeue(batch, delivery, Math.max(1_000, claimed.dueAt - deps.clock.now())) };
    case 'unreadable':
      return { disposition: await unreadable(batch, asked, claimed) };
    case 'expired':
      return afterCrash(batch, asked, claimed.seen);
    case 'claimed':
      if (claimed.ambiguous) note(deps, claimed.job, 'ambiguous-resolved');
      return { job: claimed.job };
  }
}

async function unreadable(
  batch: Batch,
  { delivery, lease }: Asked,
  { row, error }: Claim & { result: 'unreadable' },
): Promise<Disposition> {
  const owner = String(row['lockOwner'] ?? '');
  if (owner !== '' && owner !== lease.owner && !isQueueOwner(owner)) return requeue(batch, delivery, 60_000);
  await quarantineInGroup(batch.deps, { table: 'jobs', row, error, worker: delivery.message.queue.worker });
  return 'acknowledge';
}

/** The lease of another executor ran out. Its job is tried again with nothing beside it, or ends. */
async function afterCrash(batch: Batch, asked: Asked, seen: LeasedJob): Promise<ClaimedOrSettled> {
  const { deps } = batch;
  if (!asked.alone) return { disposition: 'later' };
  const now = deps.clock.now();
  const ranAloneBefore = ranAlone(seen.lockOwner);
  const decision = decideCrash(seen, ranAloneBefore, deps.deployment.settings.crashLimit, now);
  if (decision.verb === 'cancel') {
    if (await endAsCancelled(deps.tables, seen, 'sweeper', cancelTerms(deps))) jobEnded(deps, seen, 'cancelled');
    return { disposition: 'acknowledge' };
  }
  if (ranAloneBefore) note(deps, seen, 'crashed');
  if (decision.verb === 'bury') {
    const { reason, error, crashes } = decision;
    const buried = await buryInGroup(deps, seen, { reason, error, counters: { crashes }, requestId: batch.requestId });
    if (buried.result === 'dead') jobEnded(deps, seen, 'dead-lettered', { error, reason });
    return { disposition: buried.result === 'dead' ? 'acknowledge' : await requeue(batch, asked.delivery, 1_000) };
  }
  const taken = await retryOnce(() => takeOver(deps.tables, seen, asked.lease, { crashes: decision.crashes, now }));
  return taken.result === 'expired' ? { disposition: await requeue(batch, asked.delivery, 1_000) } : afterClaim(batch, asked, taken);
}
