import { defined } from '../job/defined.ts';
import type { LeasedJob } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { heldBy } from './conditions.ts';
import { decodeLeasedJob } from './job-codec.ts';
import { idKey } from './rows.ts';

/** Writes how far a running job is: one update, fenced by its lease. The new row, or undefined when the lease is another's. */
export async function saveProgress(
  tables: Tables,
  job: LeasedJob,
  { progress, progressText }: { readonly progress: number; readonly progressText?: string },
): Promise<LeasedJob | undefined> {
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: { progress, ...defined({ progressText }) },
    ...(progressText === undefined ? { remove: ['progressText'] } : {}),
    add: { rev: 1 },
    condition: heldBy(job.lockOwner),
  });
  return outcome.applied && outcome.row !== undefined ? decodeLeasedJob(outcome.row) : undefined;
}
