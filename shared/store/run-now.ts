import { isOccurrence, type Job, type LeasedJob } from '../core/job.ts';
import type { Write } from '../ports/tables.ts';
import { resumeWrites, type ResumeTerms } from './activate.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { unstarted } from './job-codec.ts';
import type { Located } from './locate.ts';
import { readyRow } from './make-ready.ts';
import { idKey, jobRow, suspendedRow } from './rows.ts';
import { withoutSuspension, BREAKPOINT } from './suspend.ts';
import type { PlannedChange } from './change-located.ts';

/**
 * Why an operator's verb left a job alone: the state it is in. `occurrence`: it waits for its schedule, which would lose its next
 * occurrence with it.
 */
export type LeftAlone = Located['state'] | 'occurrence' | 'not-found';

/** Answer of a verb that makes a job ready; `job` is its new row, for the hint. */
export type MadeReady =
  | { readonly outcome: 'done'; readonly job: LeasedJob }
  | { readonly outcome: 'waiting-again' }
  | { readonly outcome: LeftAlone };

const leave = <Answer>(outcome: Answer): PlannedChange<{ readonly outcome: Answer }> => ({ writes: [], answer: { outcome } });

/** Takes a waiting, ready or suspended job out of the turn: due now, and suspensions do not hold it. */
export function planRunNow(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  switch (found.state) {
    case 'suspended': {
      const { writes, went } = resumeWrites(found.job, terms, asked(withoutSuspension(found.job), terms.now));
      return { writes, answer: went.result === 'ready' ? { outcome: 'done', job: went.job } : { outcome: 'waiting-again' } };
    }
    case 'waiting': {
      if (isOccurrence(found.job)) return leave('occurrence');
      const job = readyRow(asked(found.job, terms.now), terms);
      const remove: Write = { op: 'delete', table: 'timers', key: found.key, condition: revIs(found.job.rev) };
      return { writes: [remove, { op: 'put', table: 'jobs', row: jobRow(job), condition: noRow('id') }], answer: { outcome: 'done', job } };
    }
    case 'ready': {
      const ready = dispatchedAgain(found.job, asked(unstarted(found.job), terms.now), terms);
      return { writes: [ready.write], answer: { outcome: 'done', job: ready.job } };
    }
    default:
      return leave(found.state);
  }
}

/** A start that a rate limit booked for a later instant is not kept: it books anew. */
function asked({ booked, ...job }: Job, now: number): Job {
  const early = job.dueAt > now;
  return { ...job, ...(booked === undefined || early ? {} : { booked }), dueAt: Math.min(job.dueAt, now), runNow: true };
}

/** The row of a ready job that is dispatched anew, if nobody claimed it meanwhile. */
export function dispatchedAgain(seen: LeasedJob, job: Job, terms: ResumeTerms): { readonly write: Write; readonly job: LeasedJob } {
  const ready = readyRow(job, terms);
  return { write: { op: 'put', table: 'jobs', row: jobRow(ready), condition: all(notRunning, revIs(seen.rev)) }, job: ready };
}

/** Lets a suspended job go as it was; what is suspended still stops it again on receipt. */
export function planActivate(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  if (found.state !== 'suspended') return leave(found.state);
  const { writes, went } = resumeWrites(found.job, terms);
  return { writes, answer: went.result === 'ready' ? { outcome: 'done', job: went.job } : { outcome: 'waiting-again' } };
}

/** Stops a job that does not run until an operator lets it go. */
export function planBreakpoint(
  found: Located,
  terms: { readonly now: number; readonly reason: string },
): PlannedChange<{ readonly outcome: 'stopped' | LeftAlone }> {
  const { state, job, key } = found;
  if (state !== 'ready' && state !== 'waiting' && state !== 'suspended') return leave(state);
  if (state === 'waiting' && isOccurrence(job)) return leave('occurrence');
  const { runNow: _runNow, ...rest } = state === 'suspended' ? withoutSuspension(job) : state === 'ready' ? unstarted(job) : job;
  const from = state === 'suspended' ? job.from : found.table === 'jobs' ? 'jobs' : 'timers';
  const row = suspendedRow({ ...rest, rev: rest.rev + 1, cause: BREAKPOINT, suspendedAt: terms.now, from, reason: terms.reason });
  const answer = { outcome: 'stopped' } as const;
  if (state === 'suspended') return { writes: [{ op: 'put', table: 'suspended', row, condition: revIs(job.rev) }], answer };
  const condition = state === 'ready' ? all(notRunning, revIs(job.rev)) : revIs(job.rev);
  const table = state === 'ready' ? 'jobs' : 'timers';
  return {
    writes: [
      { op: 'delete', table, key: state === 'ready' ? idKey(job.id) : key, condition },
      { op: 'put', table: 'suspended', row },
    ],
    answer,
  };
}
