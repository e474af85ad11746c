import { groupHash, lockGroup } from '../../shared/core/hint.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import type { HandledJob } from '../../shared/core/job-type.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import type { Batch } from './batch.ts';
import { passGates } from './gates/gates.ts';
import { sendBack } from './gates/send-back.ts';
import { jobEnded } from './deps.ts';
import type { Delivery } from './receive.ts';
import type { Disposition } from './requeue.ts';
import { suspendUnknown } from './suspend-unknown.ts';

/** A claimed job whose handler may start; or one that may not, which is settled, and what becomes of its message. */
export type Admitted = { readonly handled: HandledJob } | { readonly disposition: Disposition };

/** Settles what must hold between a claim and a start: no cancel request, the right group lock, a handler, every gate. */
export async function admit(batch: Batch, delivery: Delivery, job: LeasedJob): Promise<Admitted> {
  const { deps } = batch;
  if (job.cancelRequested === true) {
    if (await endAsCancelled(deps.tables, job, 'owner', cancelTerms(deps))) jobEnded(deps, job, 'cancelled');
    return { disposition: 'acknowledge' };
  }
  const group = lockGroup(job);
  // The hint did not name the job's group, so its lock was not taken: the job goes back with a hint that does.
  if (group !== undefined && groupHash(group) !== delivery.hint.g)
    return { disposition: await sendBack(deps, job, { dueAt: job.dueAt, reason: 'group' }) };
  const handled = deps.handlers.get(job.type);
  if (handled === undefined) {
    await suspendUnknown(deps, job);
    return { disposition: 'acknowledge' };
  }
  const answer = await passGates(batch, { delivery, job, handled });
  return answer === 'pass' ? { handled } : { disposition: answer };
}
