import { StoreUnavailableError } from '../../shared/core/errors.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { admit } from './admit.ts';
import { openSession } from './open-session.ts';
import type { Batch } from './batch.ts';
import { claimDelivery, undoClaim } from './claim.ts';
import { releaseSlots } from './held-slots.ts';
import { note } from './deps.ts';
import type { Delivery } from './receive.ts';
import { record } from './record.ts';
import { type Disposition, giveBackDelayMs, requeue } from './requeue.ts';
import { run, type Run, type Starting } from './run.ts';
import { enoughTime } from './time-budget.ts';

/** One delivery: claim, admit, run, decide, record. Never rejects: where the store fails the job goes back, or is left to its lease. */
export async function executeJob(batch: Batch, delivery: Delivery, alone: boolean): Promise<Disposition> {
  const { clock, deployment } = batch.deps;
  try {
    if (batch.ending || !enoughTime(batch.budget, deployment.settings.minimumRunMs, undefined, clock.now())) {
      return await requeue(batch, delivery, giveBackDelayMs(delivery.message.receiveCount));
    }
    const claimed = await claimDelivery(batch, delivery, alone);
    return 'disposition' in claimed ? claimed.disposition : await executeClaimed(batch, delivery, claimed.job);
  } catch (error) {
    batch.storeFailed(error);
    return requeue(batch, delivery, deployment.settings.leaseMarginMs);
  }
}

/** An outcome that the store did not take is no crash: the job goes back as it was, and runs again. */
async function executeClaimed(batch: Batch, delivery: Delivery, job: LeasedJob): Promise<Disposition> {
  try {
    const admitted = await admit(batch, delivery, job);
    return 'disposition' in admitted ? admitted.disposition : await executeAdmitted(batch, delivery, job, admitted.handled);
  } catch (error) {
    if (error instanceof StoreUnavailableError) await undoClaim(batch, job, batch.ending ? batch.leaseUntil : undefined);
    throw error;
  } finally {
    await releaseSlots(batch, job);
  }
}

/** The attempt, which its session listens to from here to its end. */
async function executeAdmitted(batch: Batch, delivery: Delivery, job: LeasedJob, handled: HandledJob): Promise<Disposition> {
  const { deps, budget } = batch;
  const startedAt = deps.clock.now();
  const start = !batch.ending && enoughTime(budget, deps.deployment.settings.minimumRunMs, handled.type.timeoutMs, startedAt);
  const session = start ? openSession(batch, handled, job) : { deps, close: () => {} };
  try {
    const starting: Starting = { deps: session.deps, handled, job, startedAt, start };
    return await recordRun(batch, delivery, starting, await run(batch, delivery, starting));
  } finally {
    session.close();
  }
}

async function recordRun(batch: Batch, delivery: Delivery, starting: Starting, { attempt, held, lost }: Run): Promise<Disposition> {
  const { deps, handled, job, startedAt } = starting;
  if (lost) {
    note(deps, job, 'lost-lease');
    return 'acknowledge';
  }
  const { requestId } = batch;
  const ended = {
    ...attempt,
    job: mergeLease(held, attempt.job),
    run: job.rev,
    startedAt,
    endedAt: deps.clock.now(),
    requestId,
    token: deps.entropy.token(),
  };
  const recorded = await record(deps, handled, ended);
  if (recorded.finished) batch.history.push(recorded.finished);
  return recorded.message === 'visible' ? requeue(batch, delivery, giveBackDelayMs(delivery.message.receiveCount)) : 'acknowledge';
}

/** What the run wrote and what kept its lease wrote, together. */
function mergeLease(held: LeasedJob, afterRun: LeasedJob = held): LeasedJob {
  if (held === afterRun) return held;
  return { ...held, ...afterRun, lockExpiresAt: held.lockExpiresAt, rev: Math.max(held.rev, afterRun.rev) };
}
