import { defined } from '../../shared/core/defined.ts';
import { StoreUnavailableError } from '../../shared/core/errors.ts';
import { groupHash, lockGroup } from '../../shared/core/hint.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import { askOnError } from './ask-on-error.ts';
import { openSession } from './attempt-session.ts';
import type { Batch } from './batch.ts';
import { claimDelivery, undoClaim } from './claim-delivery.ts';
import { passGates } from './gates/gates.ts';
import { sendBack } from './gates/send-back.ts';
import { letSlotsGo } from './held-slots.ts';
import { comeBack, type Fate, giveBackDelayMs } from './message-fate.ts';
import { type ExecutorParts, note } from './parts.ts';
import type { Delivery } from './receive.ts';
import { record } from './record.ts';
import { type Attempt, runHandler } from './run-handler.ts';
import { suspendUnknown } from './suspend-unknown.ts';
import { enoughTime } from './time-budget.ts';

/** claim -> resolve -> run -> decide -> record, for one delivery. Never rejects: where the store fails the job goes back, or is left to its lease. */
export async function executeJob(batch: Batch, delivery: Delivery, alone: boolean): Promise<Fate> {
  const { clock, deployment } = batch.parts;
  try {
    if (batch.ending || !enoughTime(batch.budget, deployment.settings.minimumRunMs, undefined, clock.now())) {
      return await comeBack(batch, delivery, giveBackDelayMs(delivery.message.receiveCount));
    }
    const claimed = await claimDelivery(batch, delivery, alone);
    return 'fate' in claimed ? claimed.fate : await runOrUndo(batch, delivery, claimed.job);
  } catch (error) {
    batch.storeFailed(error);
    return comeBack(batch, delivery, deployment.settings.leaseMarginMs);
  }
}

/** An outcome that the store did not take is no crash: the job goes back as it was, and runs again. */
async function runOrUndo(batch: Batch, delivery: Delivery, job: LeasedJob): Promise<Fate> {
  try {
    return await runClaimed(batch, delivery, job);
  } catch (error) {
    if (error instanceof StoreUnavailableError) await undoClaim(batch, job, batch.ending ? batch.leaseUntil : undefined);
    throw error;
  } finally {
    await letSlotsGo(batch, job);
  }
}

/** An attempt, and the job with the lease that it has by now. */
interface Run {
  readonly attempt: Attempt;
  readonly held: LeasedJob;
  readonly lost: boolean;
}

/** Runs the handler if it may start; where no deadline ends the run, what the job holds is renewed meanwhile. */
async function runKept(batch: Batch, delivery: Delivery, { parts, handled, job, startedAt, start }: Starting): Promise<Run> {
  const kept = start ? batch.upkeep?.keep(delivery, job) : undefined;
  const interrupt = kept?.interrupt;
  // Claiming took so long that the lease, or the lock of its group, is nearly over.
  const starts = start && interrupt?.aborted !== true;
  if (!starts) await kept?.end(false);
  if (!starts) return { attempt: { outcome: { kind: 'no-time' }, unsettled: false }, held: job, lost: false };
  note(parts, job, 'started', { queueDelayMs: Math.max(0, startedAt - job.dueAt) });
  const { timeoutMs = Number.POSITIVE_INFINITY } = handled.type;
  const limitMs = Math.min(timeoutMs, batch.budget.abortAt - startedAt);
  const ended = await runHandler(parts, handled, job, { limitMs, ...defined({ interrupt }) });
  // Before anything else is waited for: the process may have to end meanwhile.
  if (ended.unsettled) endAfter(batch, delivery, job);
  const { job: held, lost } = (await kept?.end(ended.unsettled)) ?? { job, lost: false };
  return { attempt: await askOnError(parts, job, ended), held, lost };
}

/** What must be settled between a claim and a start: a job that may not start has been dealt with, and `fate` is its message's. */
export async function mayStart(
  batch: Batch,
  delivery: Delivery,
  job: LeasedJob,
): Promise<{ readonly handled: HandledJob } | { readonly fate: Fate }> {
  const { parts } = batch;
  if (job.cancelRequested === true) {
    if (await endAsCancelled(parts.tables, job, 'owner', cancelTerms(parts))) note(parts, job, 'cancelled');
    return { fate: 'acknowledge' };
  }
  const group = lockGroup(job);
  // The hint did not name the job's group, so its lock was not taken: the job goes back with a hint that does.
  if (group !== undefined && groupHash(group) !== delivery.hint.g)
    return { fate: await sendBack(parts, job, { dueAt: job.dueAt, reason: 'group' }) };
  const handled = parts.handlers.get(job.type);
  if (handled === undefined) {
    await suspendUnknown(parts, job);
    return { fate: 'acknowledge' };
  }
  const answer = await passGates(batch, { delivery, job, handled });
  return answer === 'pass' ? { handled } : { fate: answer };
}

async function runClaimed(batch: Batch, delivery: Delivery, job: LeasedJob): Promise<Fate> {
  const { parts, budget } = batch;
  const checked = await mayStart(batch, delivery, job);
  if ('fate' in checked) return checked.fate;
  const { handled } = checked;
  const startedAt = parts.clock.now();
  const { settings } = parts.deployment;
  const start = !batch.ending && enoughTime(budget, settings.minimumRunMs, handled.type.timeoutMs, startedAt);
  const session = start ? openSession(batch, handled, job) : { parts, close: () => {} };
  try {
    return await runAndRecord(batch, delivery, { parts: session.parts, handled, job, startedAt, start });
  } finally {
    session.close();
  }
}

/** A job that nothing keeps from starting but, without `start`, the time that is left. */
interface Starting {
  readonly parts: ExecutorParts;
  readonly handled: HandledJob;
  readonly job: LeasedJob;
  readonly startedAt: number;
  readonly start: boolean;
}

async function runAndRecord(batch: Batch, delivery: Delivery, starting: Starting): Promise<Fate> {
  const { parts, handled, job, startedAt } = starting;
  const { attempt, held, lost } = await runKept(batch, delivery, starting);
  if (lost) {
    note(parts, job, 'lost-lease');
    return 'acknowledge';
  }
  const { requestId } = batch;
  const ended = {
    ...attempt,
    job: asItIs(held, attempt.job),
    run: job.rev,
    startedAt,
    endedAt: parts.clock.now(),
    requestId,
    token: parts.entropy.token(),
  };
  const recorded = await record(parts, handled, ended);
  if (recorded.finished) batch.history.push(recorded.finished);
  return recorded.message === 'visible' ? comeBack(batch, delivery, giveBackDelayMs(delivery.message.receiveCount)) : 'acknowledge';
}

/** What the run wrote and what kept its lease wrote, together. */
function asItIs(held: LeasedJob, afterRun: LeasedJob = held): LeasedJob {
  if (held === afterRun) return held;
  return { ...held, ...afterRun, lockExpiresAt: held.lockExpiresAt, rev: Math.max(held.rev, afterRun.rev) };
}

/** The handler still runs: the process ends after this batch, and a group lock and slots of limits are left to expire, because its job may go on. */
function endAfter(batch: Batch, { hint }: Delivery, job: LeasedJob): void {
  batch.endProcess();
  batch.slots.delete(job.lockOwner);
  if (hint.g !== undefined) batch.keepLock(hint.g);
}
