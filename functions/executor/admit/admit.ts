import type { Deployment } from '../../../shared/config/environment.ts';
import { groupHash, lockGroup } from '../../../shared/job/hint.ts';
import type { LeasedJob } from '../../../shared/job/job.ts';
import type { HandledJob } from '../../../shared/job/job-type.ts';
import { knowsCodec } from '../../../shared/job/payload-codec.ts';
import { isNewer } from '../../../shared/job/upcast.ts';
import { presentName } from '../../../shared/job/worker-names.ts';
import { cancelTerms, endAsCancelled } from '../../../shared/store/cancel.ts';
import type { ExecutorInvocation } from '../invocation/open-invocation.ts';
import type { Candidate } from '../gates/gate.ts';
import { GATES } from '../gates/gates.ts';
import { noteGroup } from '../gates/group-order.ts';
import { sendBack } from '../gates/send-back.ts';
import { jobEnded } from '../deps.ts';
import type { Delivery } from '../receive/receive.ts';
import type { Disposition } from '../settle/requeue.ts';
import { suspendUnknown } from './suspend-unknown.ts';

/** A claimed job whose handler may start, or the disposition of the message of one that may not and has been settled. */
export type Admitted = { readonly handled: HandledJob } | { readonly disposition: Disposition };

/** Checks everything between claim and start: no cancel request, the right worker and group lock, a handler that knows the payload's version and codec, every gate. */
export async function admit(invocation: ExecutorInvocation, delivery: Delivery, job: LeasedJob): Promise<Admitted> {
  const { deps } = invocation;
  noteGroup(invocation, job);
  if (job.cancelRequested === true) {
    if (await endAsCancelled(deps.tables, job, 'owner', cancelTerms(deps))) jobEnded(deps, job, 'cancelled');
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

/** Evaluates the gates in order until one stops the job. */
async function passGates(invocation: ExecutorInvocation, candidate: Candidate): Promise<'pass' | Disposition> {
  for (const gate of GATES) {
    const answer = await gate(invocation, candidate);
    if (answer !== 'pass') return answer;
  }
  return 'pass';
}
