import { defined, pick } from '../../shared/job/defined.ts';
import { failedByStore } from '../../shared/job/store-failures.ts';
import type { AttemptEnd } from '../../shared/job/attempt.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import { jobRef } from '../../shared/ports/journal.ts';
import { admit } from './gates/admit.ts';
import { attemptEnd, type EndedAttempt, openSession, type OpenSession } from './attempt-record.ts';
import { type ExecutorInvocation, releaseHolds, enoughTime } from './invocation.ts';
import { claimDelivery, undoClaim } from './claim.ts';
import { decideAttempt } from './decide-attempt.ts';
import { note } from './held-job.ts';
import { type Delivery, type Disposition, giveBackDelayMs, requeue } from './receive.ts';
import { record } from './record.ts';
import { run, type Starting } from './run.ts';

/** One delivery: claim, admit, run, decide, record. Never rejects: if the store fails, the job goes back to its queue, or its lease expires. */
export async function executeJob(invocation: ExecutorInvocation, delivery: Delivery, alone: boolean): Promise<Disposition> {
  const { clock, deployment } = invocation.deps;
  try {
    if (invocation.ending || !enoughTime(invocation.budget, deployment.settings.minimumRunMs, undefined, clock.now())) {
      return await requeue(invocation, delivery, giveBackDelayMs(delivery.message.receiveCount));
    }
    const claimed = await claimDelivery(invocation, delivery, alone);
    if ('disposition' in claimed) return claimed.disposition;
    const { job } = claimed;
    let admitted: Awaited<ReturnType<typeof admit>> | undefined;
    try {
      admitted = await admit(invocation, delivery, job);
      return 'disposition' in admitted ? admitted.disposition : await executeAdmitted(invocation, delivery, job, admitted.handled);
    } catch (error) {
      // The store did not answer, or a permission is missing: the job runs again, and this does not count as a crash.
      const undo = { sameAttempt: admitted === undefined, ...(invocation.ending ? { dueAt: invocation.leaseUntil } : {}) };
      if (failedByStore(error)) await undoClaim(invocation, job, undo);
      throw error;
    } finally {
      await releaseHolds(invocation, job);
    }
  } catch (error) {
    invocation.storeFailed(error);
    // Later each time: a missing permission stays missing for longer than an outage lasts. Before its job is due, the message would be stale.
    const dueInMs = invocation.ending ? invocation.leaseUntil - clock.now() : 0;
    const { leaseMarginMs } = deployment.settings;
    return requeue(invocation, delivery, Math.max(leaseMarginMs, giveBackDelayMs(delivery.message.receiveCount), dueInMs));
  }
}

/** Runs and records the attempt of an admitted job, in a span if there is tracing. */
async function executeAdmitted(
  invocation: ExecutorInvocation,
  delivery: Delivery,
  job: LeasedJob,
  handled: HandledJob,
): Promise<Disposition> {
  const { deps, budget } = invocation;
  const startedAt = deps.clock.now();
  const start = !invocation.ending && enoughTime(budget, deps.deployment.settings.minimumRunMs, handled.type.timeoutMs, startedAt);
  const admitted = { handled, job, startedAt, start };
  if (deps.tracing === undefined || !start) return runAndRecord(invocation, delivery, admitted);
  const traced = { ...jobRef(job), ...defined({ tracestate: job.tracestate }) };
  return deps.tracing.process(traced, async (ended) => runAndRecord(invocation, delivery, admitted, ended));
}

/** Calls `onEnd` with how the attempt ended, whether or not it was recorded. */
async function runAndRecord(
  invocation: ExecutorInvocation,
  delivery: Delivery,
  admitted: Omit<Starting, 'deps'>,
  onEnd?: (end: AttemptEnd) => void,
): Promise<Disposition> {
  const { handled, job, start } = admitted;
  const session: OpenSession = start ? openSession(invocation, handled, job) : { deps: invocation.deps, close: () => {} };
  let end: AttemptEnd = { outcome: 'unrecorded' };
  try {
    const starting: Starting = { deps: session.deps, ...admitted };
    const ended = await runToEnd(invocation, delivery, starting);
    if (ended === 'lost') {
      end = { outcome: 'lost-lease' };
      return 'acknowledge';
    }
    const decision = decideAttempt(session.deps, handled, ended);
    end = attemptEnd('unrecorded', decision);
    const recorded = await record(session.deps, handled, ended, decision);
    ({ end } = recorded);
    if (recorded.finished) invocation.history.push(recorded.finished);
    return recorded.disposition === 'requeue'
      ? await requeue(invocation, delivery, giveBackDelayMs(delivery.message.receiveCount))
      : 'acknowledge';
  } finally {
    session.close(end);
    onEnd?.(end);
  }
}

/** Runs the attempt and returns its end, or `lost` if the lease was lost during it. */
async function runToEnd(invocation: ExecutorInvocation, delivery: Delivery, starting: Starting): Promise<EndedAttempt | 'lost'> {
  const { deps, job, startedAt } = starting;
  const { attempt, held, lost } = await run(invocation, delivery, starting);
  if (lost) {
    note(deps, job, 'lost-lease');
    return 'lost';
  }
  return {
    ...attempt,
    // Rows written during the run may still have a former name of the worker.
    job: { ...mergeLease(held, attempt.job), worker: job.worker },
    claimedRev: job.rev,
    startedAt,
    endedAt: deps.clock.now(),
    requestId: invocation.requestId,
    token: deps.entropy.token(),
  };
}

/** The newest row that was read during the run, with the last progress and the lease that was renewed. */
function mergeLease(held: LeasedJob, afterRun: LeasedJob = held): LeasedJob {
  const newest = afterRun.rev > held.rev ? afterRun : held;
  return { ...newest, ...pick(afterRun, 'progress', 'progressText'), lockExpiresAt: held.lockExpiresAt };
}
