import { decideCrash } from '../core/decide.ts';
import { errorText } from '../core/error-text.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import { groupHash } from '../core/hint.ts';
import type { LeasedJob } from '../core/job.ts';
import { executorOwner, isQueueOwner, ranAlone } from '../core/lock-owner.ts';
import { bury } from '../store/bury.ts';
import { endAsCancelled } from '../store/cancel.ts';
import { type Claim, claim, type Lease, takeOver } from '../store/claim.ts';
import { quarantine } from '../store/quarantine.ts';
import { returnToQueue } from '../store/return-to-queue.ts';
import { sendHints } from '../store/send-hints.ts';
import type { Batch } from './batch.ts';
import { note } from './parts.ts';
import type { Delivery } from './receive.ts';
import { record } from './record.ts';
import { runHandler } from './run-handler.ts';
import { suspendUnknown } from './suspend-unknown.ts';
import { enoughTime } from './time-budget.ts';

/** What becomes of the message; `later` runs it again in this batch with nothing beside it. */
export type Fate = 'acknowledge' | 'come-back' | 'later';

/** claim -> resolve -> run -> decide -> record, for one delivery. Never rejects: a store that fails leaves the job to its lease. */
export async function executeJob(batch: Batch, delivery: Delivery, alone: boolean): Promise<Fate> {
  const { parts } = batch;
  try {
    if (batch.ending || !enoughTime(batch.budget, parts.deployment.settings.minimumRunMs, undefined, parts.clock.now())) {
      return await comeBack(batch, delivery, 0);
    }
    const lease: Lease = { owner: executorOwner(parts.entropy.token(), alone), expiresAt: batch.leaseUntil };
    const claimed = await claimTwice(batch, delivery, lease);
    return await afterClaim(batch, { delivery, alone, lease }, claimed);
  } catch (error) {
    batch.storeFailed(error);
    return comeBack(batch, delivery, parts.deployment.settings.leaseMarginMs);
  }
}

/** A claim whose reply was lost is asked again with the same owner: the row then tells whether the first one was applied. */
async function claimTwice(batch: Batch, { hint }: Delivery, lease: Lease): Promise<Claim> {
  const { tables, clock } = batch.parts;
  try {
    return await claim(tables, hint, lease, clock.now());
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    return claim(tables, hint, lease, clock.now());
  }
}

interface Asked {
  readonly delivery: Delivery;
  readonly alone: boolean;
  readonly lease: Lease;
}

async function afterClaim(batch: Batch, asked: Asked, claimed: Claim): Promise<Fate> {
  const { parts } = batch;
  const { delivery } = asked;
  switch (claimed.result) {
    case 'gone':
    case 'stale':
      parts.journal.record({ event: 'lost-claim', worker: delivery.message.queue.worker, reason: claimed.result });
      return 'acknowledge';
    case 'held':
    case 'not-due': {
      if (claimed.result === 'held') parts.journal.record({ event: 'lost-claim', worker: delivery.message.queue.worker, reason: 'held' });
      const until = claimed.result === 'held' ? claimed.until : claimed.dueAt;
      return comeBack(batch, delivery, Math.max(1_000, until - parts.clock.now()));
    }
    case 'unreadable':
      return setAside(batch, asked, claimed);
    case 'expired':
      return afterCrash(batch, asked, claimed.seen);
    case 'claimed':
      if (claimed.ambiguous) note(parts, claimed.job, 'ambiguous-resolved');
      return runClaimed(batch, asked, claimed.job);
  }
}

async function setAside(batch: Batch, { delivery, lease }: Asked, { row, error }: Claim & { result: 'unreadable' }): Promise<Fate> {
  const owner = String(row['lockOwner'] ?? '');
  if (owner !== '' && owner !== lease.owner && !isQueueOwner(owner)) return comeBack(batch, delivery, 60_000);
  const { tables, clock, journal } = batch.parts;
  if (await quarantine(tables, 'jobs', row, { error, now: clock.now() })) {
    journal.record({ event: 'quarantined', worker: delivery.message.queue.worker, reason: 'jobs', error: errorText(error, clock.now()) });
  }
  return 'acknowledge';
}

/** The lease of another executor ran out. Its job is tried again with nothing beside it, or ends. */
async function afterCrash(batch: Batch, asked: Asked, seen: LeasedJob): Promise<Fate> {
  const { parts } = batch;
  if (!asked.alone) return 'later';
  const now = parts.clock.now();
  const ranAloneBefore = ranAlone(seen.lockOwner);
  const decision = decideCrash(seen, ranAloneBefore, parts.deployment.settings.crashLimit, now);
  if (decision.verb === 'cancel') {
    if (await endAsCancelled(parts.tables, seen, 'sweeper')) note(parts, seen, 'cancelled');
    return 'acknowledge';
  }
  if (ranAloneBefore) note(parts, seen, 'crashed');
  if (decision.verb === 'bury') {
    const { reason, error, crashes } = decision;
    const buried = await bury(parts.tables, seen, { reason, error, counters: { crashes }, requestId: batch.requestId });
    if (buried.result === 'dead') note(parts, seen, 'dead-lettered', { error, reason });
    return 'acknowledge';
  }
  const taken = await takeOver(parts.tables, seen, asked.lease, { crashes: decision.crashes, now });
  return taken.result === 'expired' ? comeBack(batch, asked.delivery, 1_000) : afterClaim(batch, asked, taken);
}

async function runClaimed(batch: Batch, { delivery }: Asked, job: LeasedJob): Promise<Fate> {
  const { parts, budget } = batch;
  if (job.group !== undefined && groupHash(job.group) !== delivery.hint.g) return sendToItsGroup(batch, job);
  const handled = parts.handlers.get(job.type);
  if (handled === undefined) {
    await suspendUnknown(parts, job);
    return 'acknowledge';
  }
  const startedAt = parts.clock.now();
  const limitMs = Math.min(handled.type.timeoutMs ?? Number.POSITIVE_INFINITY, budget.abortAt - startedAt);
  const start = enoughTime(budget, parts.deployment.settings.minimumRunMs, handled.type.timeoutMs, startedAt) && !batch.ending;
  if (start) note(parts, job, 'started', { queueDelayMs: Math.max(0, startedAt - job.dueAt) });
  const attempt = start ? await runHandler(parts, handled, job, limitMs) : { outcome: { kind: 'no-time' } as const, unsettled: false };
  if (attempt.unsettled) batch.ending = true;
  if (attempt.unsettled && delivery.hint.g !== undefined) batch.keepLock(delivery.hint.g);
  const recorded = await record(parts, handled, {
    job,
    outcome: attempt.outcome,
    startedAt,
    requestId: batch.requestId,
    unsettled: attempt.unsettled,
  });
  if (recorded.finished) batch.history.push(recorded.finished);
  return recorded.message === 'visible' ? comeBack(batch, delivery, 0) : 'acknowledge';
}

/** The hint did not name the job's group, so its lock was not taken: the job goes back with a hint that does. */
async function sendToItsGroup(batch: Batch, job: LeasedJob): Promise<Fate> {
  const { parts } = batch;
  const now = parts.clock.now();
  const terms = { token: parts.entropy.token(), now, redispatchAfterMs: parts.deployment.settings.redispatchAfterMs };
  const back = await returnToQueue(parts.tables, job, { dueAt: job.dueAt }, terms);
  if (back.result === 'ready') await sendHints(parts, [back.job], now);
  return 'acknowledge';
}

/** Makes the message visible again after `ms` and reports it as failed, so that the event source does not delete it. */
export async function comeBack(batch: Batch, { message }: Delivery, ms: number): Promise<Fate> {
  await batch.parts.inbox.postpone(message, ms);
  return 'come-back';
}
