import type { LeasedJob } from '../../shared/core/job.ts';
import { cancelTerms, endAsCancelled } from '../../shared/store/cancel.ts';
import type { CancelAsked } from '../../shared/store/settled.ts';
import { type ExecutorDeps, jobEnded } from './deps.ts';

/** Ends a job as cancelled whose move met a cancel request, with the reason that it met. False for any other answer, and for a lost lease. */
export async function ifCancelled(deps: ExecutorDeps, job: LeasedJob, answer: CancelAsked | { readonly result: string }): Promise<boolean> {
  if (!('why' in answer)) return false;
  const cancelled = await endAsCancelled(deps.tables, job, 'owner', { ...cancelTerms(deps), ...answer.why });
  if (cancelled) jobEnded(deps, job, 'cancelled');
  return cancelled;
}
