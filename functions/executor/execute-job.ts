import { StoreUnavailableError } from '../../shared/core/errors.ts';
import type { AttemptEnd } from '../../shared/core/attempt.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { admit } from './admit.ts';
import { attemptEnd } from './attempt-record.ts';
import type { Batch } from './batch.ts';
import { claimDelivery, undoClaim } from './claim.ts';
import { decideEnd } from './decide.ts';
import { releaseSlots } from './held-slots.ts';
import { note } from './deps.ts';
import type { Ended } from './ended.ts';
import { openSession, type OpenSession } from './open-session.ts';
import type { Delivery } from './receive.ts';
import { record } from './record.ts';
import { type Disposition, giveBackDelayMs, requeue } from './requeue.ts';
import { run, type Starting } from './run.ts';
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

/** Runs and records the attempt, and closes its session with how it ended. */
async function executeAdmitted(batch: Batch, delivery: Delivery, job: LeasedJob, handled: HandledJob): Promise<Disposition> {
  const { deps, budget } = batch;
  const startedAt = deps.clock.now();
  const start = !batch.ending && enoughTime(budget, deps.deployment.settings.minimumRunMs, handled.type.timeoutMs, startedAt);
  const session: OpenSession = start ? openSession(batch, handled, job) : { deps, close: () => {} };
  let end: AttemptEnd = { outcome: 'unrecorded' };
  try {
    const starting: Starting = { deps: session.deps, handled, job, startedAt, start };
    const ended = await runToEnd(batch, delivery, starting);
    if (ended === 'lost') {
      end = { outcome: 'lost-lease' };
      return 'acknowledge';
    }
    const decision = decideEnd(session.deps, handled, ended);
    end = attemptEnd('unrecorded', decision);
    const recorded = await record(session.deps, handled, ended, decision);
    ({ end } = recorded);
    if (recorded.finished) batch.history.push(recorded.finished);
    return recorded.message === 'visible' ? await requeue(batch, delivery, giveBackDelayMs(delivery.message.receiveCount)) : 'acknowledge';
  } finally {
    session.close(end);
  }
}

/** Runs the attempt and returns what to record of it, or `lost` if the lease was lost meanwhile. */
async function runToEnd(batch: Batch, delivery: Delivery, starting: Starting): Promise<Ended | 'lost'> {
  const { deps, job, startedAt } = starting;
  const { attempt, held, lost } = await run(batch, delivery, starting);
  if (lost) {
    note(deps, job, 'lost-lease');
    return 'lost';
  }
  return {
    ...attempt,
    job: mergeLease(held, attempt.job),
    run: job.rev,
    startedAt,
    endedAt: deps.clock.now(),
    requestId: batch.requestId,
    token: deps.entropy.token(),
  };
}

/** What the run wrote and what kept its lease wrote, together. */
function mergeLease(held: LeasedJob, afterRun: LeasedJob = held): LeasedJob {
  if (held === afterRun) return held;
  return { ...held, ...afterRun, lockExpiresAt: held.lockExpiresAt, rev: Math.max(held.rev, afterRun.rev) };
}
