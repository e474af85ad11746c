import type { Job, LeasedJob, SuspendedJob } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { leave, type LeftAlone, type PlannedChange } from './change-located.ts';
import { withoutSuspension } from './job-codec.ts';
import type { Located } from './locate.ts';
import { type Moved, movedWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';
import { idKey } from './rows.ts';
import type { Lost } from './transact-while-leased.ts';
import { tryTransact } from './transact.ts';

/** The state of a resumed job: `ready` needs a hint. */
export type Resumed = { readonly result: 'ready'; readonly job: LeasedJob } | { readonly result: 'waiting'; readonly job: Job };

/** A suspended job is ready again, or waits for its time: one transaction on the row that was seen. Counters stay as they were. */
export async function resume(tables: Tables, seen: SuspendedJob, terms: ResumeTerms): Promise<Resumed | Lost> {
  const found = { state: 'suspended', table: 'suspended', key: idKey(seen.id), job: seen } as const;
  const { writes, job, ready } = movedWrites(found, withoutSuspension(seen), terms);
  const outcome = await tryTransact(tables, `resume/${seen.id}/${seen.rev}/${terms.token}`, { writes });
  if (!outcome.applied) return { result: 'lost' };
  return ready === undefined ? { result: 'waiting', job } : { result: 'ready', job: ready };
}

/** Answer of a verb that makes a job ready; `job` is its new row, for the hint. */
export type MadeReady =
  | { readonly outcome: 'done'; readonly job: LeasedJob }
  | { readonly outcome: 'waiting-again' }
  | { readonly outcome: LeftAlone };

/** The plan of a verb that makes a job ready, unless it is due too late for that. */
export const madeReady = ({ writes, ready }: Moved): PlannedChange<MadeReady> => ({
  writes,
  answer: ready === undefined ? { outcome: 'waiting-again' } : { outcome: 'done', job: ready },
});

/** An operator resumes a suspended job unchanged; a suspension in force stops it again on receipt. */
export function planResume(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  return found.state === 'suspended' ? madeReady(movedWrites(found, withoutSuspension(found.job), terms)) : leave(found.state);
}
