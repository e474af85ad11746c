import type { LeasedJob } from '../../../shared/job/job.ts';
import { cancelTerms, endAsCancelled } from '../../../shared/store/cancel.ts';
import type { CancelAsked } from '../../../shared/store/transact-while-leased.ts';
import { type ExecutorDeps, jobEnded } from '../deps.ts';

/** Ends a job as cancelled if its move found a cancel request, with that request's reason. False for any other answer, and for a lost lease. */
export async function ifCancelled(deps: ExecutorDeps, job: LeasedJob, answer: CancelAsked | { readonly result: string }): Promise<boolean> {
  if (!('why' in answer)) return false;
  const cancelled = await endAsCancelled(deps.tables, job, 'owner', { ...cancelTerms(deps), ...answer.why });
  if (cancelled) jobEnded(deps, job, 'cancelled');
  return cancelled;
}
