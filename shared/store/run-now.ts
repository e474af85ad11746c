import { isOccurrence, type Job } from '../job/job.ts';
import { placedAgain } from './group-places.ts';
import type { Located } from './locate.ts';
import { idleJob, movedWrites } from './moved-writes.ts';
import type { ResumeTerms } from './ready-row.ts';
import { type MadeReady, madeReady } from './resume.ts';
import { leave, type PlannedChange } from './change-located.ts';

/** Takes a waiting, ready or suspended job out of the turn: due now, and suspensions do not hold it. */
export function planRunNow(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  if (found.state !== 'suspended' && found.state !== 'waiting' && found.state !== 'ready') return leave(found.state);
  if (found.state === 'waiting' && isOccurrence(found.job)) return leave('occurrence');
  return madeReady(movedWrites(found, asked(idleJob(found), terms.now), terms));
}

/** An operator wants it to start, however late it is. A start that a rate limit booked for a later instant is not kept: it books anew. */
function asked({ booked, startBy: _startBy, ...job }: Job, now: number): Job {
  const early = job.dueAt > now;
  const due = { ...job, ...(booked === undefined || early ? {} : { booked }), dueAt: Math.min(job.dueAt, now), runNow: true };
  return early ? placedAgain(due, now) : due;
}
