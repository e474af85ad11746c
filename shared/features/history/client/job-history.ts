import { attemptEntry, finishedEntry, type JobHistory } from '../model/history-entry.ts';
import { checkJobId } from '../../../job/job-id.ts';
import type { Tables } from '../../../ports/tables.ts';
import { readJobHistory } from '../store/read-history.ts';

/** What History keeps of a job: how it ended, and its attempts, as far as the history level of its type goes. One query. */
export async function jobHistory(
  { tables, tenant }: { readonly tables: Tables; readonly tenant?: string },
  id: string,
): Promise<JobHistory> {
  const { finished, attempts } = await readJobHistory(tables, checkJobId(id), tenant);
  return { id, ...(finished === undefined ? {} : { finished: finishedEntry(finished) }), attempts: attempts.map(attemptEntry) };
}
