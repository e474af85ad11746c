import type { LeasedJob } from '../../../shared/job/job.ts';
import { listCause, newerVersionCause, noHandlerCause, suspend, unknownCodecCause } from '../../../shared/store/suspend.ts';
import { cancelUnstarted, ifCancelled, sendBack, note, jobEnded, type Candidate } from '../held-job.ts';
import type { ExecutorDeps } from '../deps.ts';
import type { Deployment } from '../../../shared/config/environment.ts';
import { groupHash, lockGroup } from '../../../shared/job/hint.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import { knowsCodec } from '../../../shared/job/payload-codec.ts';
import { isNewer } from '../../../shared/job/upcast.ts';
import { presentName } from '../../../shared/job/worker-names.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { GATES, noteGroup } from './gates.ts';
import type { Delivery, Disposition } from '../receive.ts';

/** A claimed job whose handler may start, or the disposition of the message of one that may not and has been settled. */
export type Admitted = { readonly handled: HandledJob } | { readonly disposition: Disposition };

/** Checks everything between claim and start: no cancel request, the right worker and group lock, a handler that knows the payload's version and codec, every gate. */
export async function admit(invocation: ExecutorInvocation, delivery: Delivery, job: LeasedJob): Promise<Admitted> {
  const { deps } = invocation;
  if (job.groupPlace !== undefined) noteGroup(invocation, job);
  if (job.cancelRequested === true) {
    if (await cancelUnstarted(deps, job)) jobEnded(deps, job, 'cancelled');
    return { disposition: 'acknowledge' };
  }
  if (isElsewhere(deps.deployment.workers, job, delivery)) {
    return { disposition: await sendBack(deps, job, { dueAt: job.dueAt, reason: 'worker' }) };
  }
  const group = lockGroup(job);
  // The hint did not name the job's group, so the group lock was not taken: the job goes back with a correct hint.
  if (group !== undefined && groupHash(group) !== delivery.hint.g)
    return { disposition: await sendBack(deps, job, { dueAt: job.dueAt, reason: 'group' }) };
  const handled = deps.handlers.get(job.type);
  if (handled === undefined || isNewer(handled.type, job) || !knowsCodec(handled.type, job)) {
    const unknown = handled === undefined ? 'no-handler' : isNewer(handled.type, job) ? 'newer-version' : 'unknown-codec';
    await suspendUnknown(deps, job, unknown);
    return { disposition: 'acknowledge' };
  }
  const answer = await passGates(invocation, { delivery, job, handled });
  return answer === 'pass' ? { handled } : { disposition: answer };
}

/** Whether the job was moved to another worker while its message was in this one's queue. If its worker no longer exists, the job stays here. */
function isElsewhere(workers: Deployment['workers'], { worker }: LeasedJob, { message }: Delivery): boolean {
  const here = message.queue.worker;
  return worker !== here && workers.has(worker) && presentName(workers, worker) !== here;
}

/** Evaluates the gates that concern the job in order until one stops it. */
async function passGates(invocation: ExecutorInvocation, candidate: Candidate): Promise<'pass' | Disposition> {
  for (const { gate, concerns } of GATES) {
    if (!concerns(candidate, invocation.deps)) continue;
    const answer = await gate(invocation, candidate);
    if (answer !== 'pass') return answer;
  }
  return 'pass';
}

/** Attribute that counts how often a job found no handler, so that its backoff continues. */
export const NO_HANDLER_TRIES = 'noHandlerTries';

/** When a job of an unknown type is tried again: doubling, within the settings' bounds. */
export function noHandlerDelayMs(
  tries: number,
  settings: { readonly noHandlerFirstRetryMs: number; readonly noHandlerMaxRetryMs: number },
): number {
  return Math.min(settings.noHandlerFirstRetryMs * 2 ** tries, settings.noHandlerMaxRetryMs);
}

/** What of a job the code does not know: its type, the version of its payload, or the codec that encoded it. */
export type Unknown = 'no-handler' | 'newer-version' | 'unknown-codec';

const CAUSES: Readonly<Record<Unknown, (job: LeasedJob) => string>> = {
  'no-handler': ({ type }) => noHandlerCause(type),
  'newer-version': newerVersionCause,
  'unknown-codec': unknownCodecCause,
};

/**
 * Suspends a job of an unknown type, or whose payload is newer than the code or encoded by a codec that it does not have. After a roll-back or in the middle of a deploy that may last
 * a while. Changes no counter.
 */
export async function suspendUnknown(deps: ExecutorDeps, job: LeasedJob, unknown: Unknown): Promise<void> {
  const now = deps.clock.now();
  const before = countOf(job.extra?.[NO_HANDLER_TRIES]);
  const marked = { ...job, extra: { ...job.extra, [NO_HANDLER_TRIES]: before + 1 } };
  const tryAt = now + noHandlerDelayMs(before, deps.deployment.settings);
  const cause = CAUSES[unknown](job);
  await listCause(deps.tables, cause, now);
  const result = await suspend(deps.tables, marked, { cause, now, tryAt, tries: before + 1 });
  if (result.result === 'suspended') note(deps, job, 'suspended', { reason: unknown });
  else await ifCancelled(deps, job, result);
}

/** An invalid count starts again at zero: the attribute only paces retries, so damage to it does not make the row unreadable. */
function countOf(value: unknown): number {
  return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : 0;
}
