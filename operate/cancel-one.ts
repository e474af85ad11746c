import type { JobId } from '../shared/job/job-id.ts';
import { jobRef } from '../shared/ports/journal.ts';
import { cancel, type CancelOutcome, cancelTerms } from '../shared/store/cancel.ts';
import type { CancelWhy } from '../shared/store/cancel-why.ts';
import type { Located } from '../shared/store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';

/** Cancels one job of many; its batch is settled by the sweeper. `found` saves a read if the caller has the whole row. */
export async function cancelOne(deps: AdminDeps, id: JobId, why: CancelWhy, found?: Located): Promise<CancelOutcome> {
  const { outcome, job } = await cancel(deps.tables, id, { ...cancelTerms(deps), ...why }, found);
  if (outcome === 'cancelled' && job !== undefined) deps.journal.record({ event: 'cancelled', worker: job.worker, job: jobRef(job) });
  return outcome;
}
