import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { decideCrash } from '../../shared/job/decide.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { failedByStore } from '../../shared/job/store-failures.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { executorOwner, isQueueOwner, ranAlone } from '../../shared/job/lock-owner.ts';
import { byPresentName } from '../../shared/job/worker-names.ts';
import { buryInErrorGroup, quarantineInGroup } from '../../shared/store/burials.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { type Claim, claim, type Lease, takeOver } from '../../shared/store/claim.ts';
import { type RunAgain, runAgain } from '../../shared/store/run-again.ts';
import { ifCancelled, jobEnded, note } from './held-job.ts';
import type { ExecutorInvocation } from './invocation.ts';
import { requeue, type Disposition, type Delivery } from './receive.ts';

/** A claimed job, or the disposition of the message of one that could not be claimed. */
export type ClaimedOrSettled = { readonly job: LeasedJob } | { readonly disposition: Disposition };

interface Asked {
  readonly delivery: Delivery;
  readonly alone: boolean;
  readonly lease: Lease;
}

/** Claims the job of a delivery, or settles its message. Throws if the store fails, after trying to undo the claim. */
export async function claimDelivery(invocation: ExecutorInvocation, delivery: Delivery, alone: boolean): Promise<ClaimedOrSettled> {
  const { tables, clock, entropy } = invocation.deps;
  const lease: Lease = { owner: executorOwner(entropy.token(), alone), expiresAt: invocation.leaseUntil };
  try {
    const claimed = await retryOnce(() => claim(tables, delivery.hint, lease, clock.now()));
    return await afterClaim(invocation, { delivery, alone, lease }, claimed);
  } catch (error) {
    if (failedByStore(error)) await undoClaim(invocation, { id: delivery.hint.id, lockOwner: lease.owner }, { sameAttempt: true });
    throw error;
  }
}

/**
 * The store did not answer or is not allowed to, so the lease would expire and look like a crash of a job that ran alone. Fenced by the lease: if
 * the outcome or another process was faster, nothing happens. A job with a cancel request ends. `sameAttempt`: its handler was not called.
 * `dueAt` delays a job whose handler may still run.
 */
export async function undoClaim(
  { deps }: ExecutorInvocation,
  job: Pick<LeasedJob, 'id' | 'lockOwner'>,
  change: Pick<RunAgain, 'dueAt' | 'sameAttempt'>,
): Promise<void> {
  const { redispatchAfterMs } = deps.deployment.settings;
  const terms = { token: deps.entropy.token(), now: deps.clock.now(), redispatchAfterMs };
  try {
    const undone = await runAgain(deps.tables, job, change, terms);
    if (undone.result === 'cancel-asked') await ifCancelled(deps, undone.job, undone);
  } catch (error) {
    deps.journal.record({ event: 'store-failed', error: errorText(error, terms.now) });
  }
}

async function afterClaim(invocation: ExecutorInvocation, asked: Asked, claimed: Claim): Promise<ClaimedOrSettled> {
  const { deps } = invocation;
  const { delivery } = asked;
  const { worker } = delivery.message.queue;
  switch (claimed.result) {
    case 'gone':
    case 'stale':
      deps.journal.record({ event: 'lost-claim', worker, reason: claimed.result });
      return { disposition: 'acknowledge' };
    case 'held':
      deps.journal.record({ event: 'lost-claim', worker, reason: 'held' });
      return { disposition: await requeue(invocation, delivery, Math.max(1_000, claimed.until - deps.clock.now())) };
    case 'not-due':
      return { disposition: await requeue(invocation, delivery, Math.max(1_000, claimed.dueAt - deps.clock.now())) };
    case 'unreadable':
      return { disposition: await unreadable(invocation, asked, claimed) };
    case 'expired':
      return afterCrash(invocation, asked, byPresentName(deps.deployment.workers, claimed.seen));
    case 'claimed':
      if (claimed.ambiguous) note(deps, claimed.job, 'ambiguous-resolved');
      return { job: byPresentName(deps.deployment.workers, claimed.job) };
  }
}

async function unreadable(
  invocation: ExecutorInvocation,
  { delivery, lease }: Asked,
  { row, error }: Claim & { result: 'unreadable' },
): Promise<Disposition> {
  const owner = String(row['lockOwner'] ?? '');
  if (owner !== '' && owner !== lease.owner && !isQueueOwner(owner)) return requeue(invocation, delivery, 60_000);
  await quarantineInGroup(invocation.deps, { table: 'jobs', row, error, worker: delivery.message.queue.worker });
  return 'acknowledge';
}

/** Handles a lease of another executor that expired: the job runs again alone, or ends. */
async function afterCrash(invocation: ExecutorInvocation, asked: Asked, seen: LeasedJob): Promise<ClaimedOrSettled> {
  const { deps } = invocation;
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
    const buried = await buryInErrorGroup(deps, seen, { reason, error, counters: { crashes }, requestId: invocation.requestId });
    if (buried.result === 'dead') jobEnded(deps, seen, 'dead-lettered', { error, reason });
    return { disposition: buried.result === 'dead' ? 'acknowledge' : await requeue(invocation, asked.delivery, 1_000) };
  }
  const taken = await retryOnce(() => takeOver(deps.tables, seen, asked.lease, { crashes: decision.crashes, now }));
  return taken.result === 'expired'
    ? { disposition: await requeue(invocation, asked.delivery, 1_000) }
    : afterClaim(invocation, asked, taken);
}

/**
 * Retries once if the store did not answer. Only for writes with their own token: if the first one was applied and its
 * reply lost, the second one finds the token in the row.
 */
export async function retryOnce<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return ask();
  }
}
