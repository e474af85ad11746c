import { isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import type { Write } from '../ports/tables.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { movePlaceWrites, placedAgain } from './group-places.ts';
import { unstarted } from './job-codec.ts';
import type { Located } from './locate.ts';
import { readyRow } from './ready-row.ts';
import { jobRow } from './rows.ts';
import { type MadeReady, resumeWrites, type ResumeTerms } from './resume.ts';
import { withoutSuspension } from './suspend.ts';
import { leave, type PlannedChange } from './change-located.ts';

/** Takes a waiting, ready or suspended job out of the turn: due now, and suspensions do not hold it. */
export function planRunNow(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  switch (found.state) {
    case 'suspended': {
      const job = asked(withoutSuspension(found.job), terms.now);
      const { writes: resume, went } = resumeWrites(found.job, terms, job);
      const writes = [...resume, ...movePlaceWrites(found.job, job)];
      return { writes, answer: went.result === 'ready' ? { outcome: 'done', job: went.job } : { outcome: 'waiting-again' } };
    }
    case 'waiting': {
      if (isOccurrence(found.job)) return leave('occurrence');
      const job = readyRow(asked(found.job, terms.now), terms);
      const remove: Write = { op: 'delete', table: 'timers', key: found.key, condition: revIs(found.job.rev) };
      const put: Write = { op: 'put', table: 'jobs', row: jobRow(job), condition: noRow('id') };
      return { writes: [remove, put, ...movePlaceWrites(found.job, job)], answer: { outcome: 'done', job } };
    }
    case 'ready': {
      const ready = dispatchedAgain(found.job, asked(unstarted(found.job), terms.now), terms);
      return { writes: [ready.write, ...movePlaceWrites(found.job, ready.job)], answer: { outcome: 'done', job: ready.job } };
    }
    default:
      return leave(found.state);
  }
}

/** An operator wants it to start, however late it is. A start that a rate limit booked for a later instant is not kept: it books anew. */
function asked({ booked, startBy: _startBy, ...job }: Job, now: number): Job {
  const early = job.dueAt > now;
  const due = { ...job, ...(booked === undefined || early ? {} : { booked }), dueAt: Math.min(job.dueAt, now), runNow: true };
  return early ? placedAgain(due, now) : due;
}

/** The row of a ready job that is dispatched again, if it was not claimed meanwhile. */
export function dispatchedAgain(seen: LeasedJob, job: Job, terms: ResumeTerms): { readonly write: Write; readonly job: LeasedJob } {
  const ready = readyRow(job, terms);
  return { write: { op: 'put', table: 'jobs', row: jobRow(ready), condition: all(notRunning, revIs(seen.rev)) }, job: ready };
}
