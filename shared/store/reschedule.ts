import { defined } from '../job/defined.ts';
import { dueAgain, isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import type { Tables } from '../ports/tables.ts';
import { changeLocated, leave, type PlannedChange } from './change-located.ts';
import { placedAgain } from './group-places.ts';
import type { Located } from './locate.ts';
import { idleJob, movedWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';

/**
 * What a reschedule found. Only `rescheduled` wrote; `ready` is the row to send a hint for, when it is due soon. `occurrence`: it waits
 * for its schedule, which would stop until the new time.
 */
export type Rescheduled =
  | { readonly outcome: 'rescheduled'; readonly ready?: LeasedJob; readonly job: Job }
  | { readonly outcome: 'occurrence' | 'running' | 'suspended' | 'dead' | 'finished' | 'not-found' };

/** Gives a waiting, parked or ready job another due time, in one transaction on the row that was seen. */
export async function reschedule(tables: Tables, id: JobId, dueAt: number, terms: ResumeTerms): Promise<Rescheduled> {
  const plan = (found: Located): PlannedChange<Rescheduled> => {
    if (found.state !== 'ready' && found.state !== 'waiting' && found.state !== 'parked') return leave(found.state);
    if (found.state === 'waiting' && isOccurrence(found.job)) return leave('occurrence');
    const { writes, job, ready } = movedWrites(found, placedAgain(dueAgain(idleJob(found), dueAt), terms.now), terms);
    return { writes, answer: { outcome: 'rescheduled', job, ...defined({ ready }) } };
  };
  return (await changeLocated(tables, id, { verb: 'reschedule', token: terms.token }, plan)) ?? { outcome: 'not-found' };
}
