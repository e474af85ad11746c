import type { LeasedJob, Job, JobError, Scalar } from '../../shared/job/job.ts';
import type { HandledJob } from '../../shared/job/job-type.ts';
import type { ExecutorInvocation } from './invocation.ts';
import type { Disposition, Delivery } from './receive.ts';
import { jobRef, type JournalEntry } from '../../shared/ports/journal.ts';
import { runAgainLater } from '../../shared/store/run-again-later.ts';
import { runAgain } from '../../shared/store/run-again.ts';
import { sendHints } from '../../shared/store/send-hints.ts';
import type { ExecutorDeps } from './deps.ts';
import type { CancelWhy } from '../../shared/store/cancel-why.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import type { CancelAsked } from '../../shared/store/transact-while-leased.ts';

/** How a job ends, by the journal's event names. */
type EndEvent = 'completed' | 'cancelled' | 'dead-lettered' | 'skipped' | 'expired';
type Noted = Omit<JournalEntry, 'event' | 'job' | 'worker'> & { readonly error?: JobError };

/** Records an event of a job that has not ended. */
export function note(deps: ExecutorDeps, job: LeasedJob, event: Exclude<JournalEntry['event'], EndEvent>, more: Noted = {}): void {
  deps.journal.record({ event, worker: job.worker, job: jobRef(job), ...more });
}

/** Records how a job ended, and marks its batch to be settled. */
export function jobEnded(deps: ExecutorDeps, job: Job, end: EndEvent, more: Noted = {}): void {
  deps.journal.record({ event: end, worker: job.worker, job: jobRef(job), ...more });
  if (job.batch !== undefined) deps.touchedBatches?.add(job.batch);
}

/** Ends a claimed job that was not started as cancelled: the claim came to no attempt. False for a lost lease. */
export async function cancelUnstarted(deps: ExecutorDeps, job: LeasedJob, why: CancelWhy = {}): Promise<boolean> {
  return endAsCancelled(deps.tables, { ...job, starts: job.starts - 1 }, 'owner', { ...cancelTerms(deps), ...why });
}

/** Ends a job as cancelled if its move found a cancel request, with that request's reason. False for any other answer, and for a lost lease. */
export async function ifCancelled(deps: ExecutorDeps, job: LeasedJob, answer: CancelAsked | { readonly result: string }): Promise<boolean> {
  if (!('why' in answer)) return false;
  const cancelled = await endAsCancelled(deps.tables, job, 'owner', { ...cancelTerms(deps), ...answer.why });
  if (cancelled) jobEnded(deps, job, 'cancelled');
  return cancelled;
}

/** When a claimed job that may not start yet is due again, and why. `set`: attributes to change in the same write. */
export interface SentBack {
  readonly dueAt: number;
  readonly reason: string;
  readonly set?: Readonly<Record<string, Scalar>>;
}

/** Sends a claimed job back until `dueAt`, to its queue or to Timers. Counts against nothing. */
export async function sendBack(deps: ExecutorDeps, job: LeasedJob, { dueAt, reason, set = {} }: SentBack): Promise<Disposition> {
  const { tables, clock, entropy, deployment } = deps;
  const { delayHorizonMs, redispatchAfterMs } = deployment.settings;
  const now = clock.now();
  const change = { dueAt, sameAttempt: true, set } as const;
  const back =
    dueAt > now + delayHorizonMs
      ? await runAgainLater(tables, job, change)
      : await runAgain(tables, job, change, { token: entropy.token(), now, redispatchAfterMs });
  await ifCancelled(deps, job, back);
  if (back.result === 'ready' || back.result === 'waiting') note(deps, job, 'given-back', { reason });
  if (back.result === 'ready') await sendHints(deps, [back.job], now);
  return 'acknowledge';
}

/** A claimed job on its way to its handler. */
export interface Candidate {
  readonly delivery: Delivery;
  readonly job: LeasedJob;
  readonly handled: HandledJob;
}

/**
 * Decides whether a claimed job may start now. A gate that stops a job has settled it with one fenced write and returns the disposition
 * of the message. `pass` wrote nothing that would have to be undone. If the lease was lost, returns `acknowledge`.
 */
export type Gate = (invocation: ExecutorInvocation, candidate: Candidate) => Promise<'pass' | Disposition>;
