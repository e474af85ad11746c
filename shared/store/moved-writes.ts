import { allowLate, type Job, type LeasedJob } from '../job/job.ts';
import type { Condition, Write } from '../ports/tables.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { movedRow } from './control-rows.ts';
import { movePlaceWrites } from './group-places.ts';
import { unstarted, withoutSuspension } from './job-codec.ts';
import type { Living, Located } from './locate.ts';
import { type ReadyTerms, readyRow, type ResumeTerms } from './ready-row.ts';
import { jobRow, timerKey, timerRow } from './rows.ts';

/** The writes of a job that moves, `job` as they leave it, and the same if it is ready: that one needs a hint. */
export interface Moved {
  readonly writes: readonly Write[];
  readonly job: Job;
  readonly ready?: LeasedJob;
}

/** A job does not run and is as it was found. */
export function asFound({ table, job }: Exclude<Located, { readonly state: 'finished' }>): Condition {
  return table === 'jobs' ? all(notRunning, revIs(job.rev)) : revIs(job.rev);
}

/** Removes the row of a job that does not run, as it was found. */
export function removeFound(found: Living): Write {
  return { op: 'delete', table: found.table, key: found.key, condition: asFound(found) };
}

/** A job that does not run, without its lease or what suspends it. */
export function idleJob(found: Living): Job {
  if (found.state === 'suspended') return withoutSuspension(found.job);
  return found.table === 'jobs' ? unstarted(found.job) : found.job;
}

/** Writes a job that does not run as `job`, which may be due at another time or have another place in its group: to its queue, or to Timers. */
export function movedWrites(found: Living, job: Job, terms: ResumeTerms): Moved {
  const moved = found.state === 'suspended' ? allowLate(job) : job;
  if (moved.dueAt <= terms.now + terms.delayHorizonMs) return readyWrites(found, moved, terms);
  const timer: Job = { ...moved, rev: moved.rev + 1 };
  const key = timerKey(timer.id, timer.dueAt);
  const staysInPlace = found.table === 'timers' && found.key['shard'] === key['shard'] && found.key['due'] === key['due'];
  const put: Write = { op: 'put', table: 'timers', row: timerRow(timer) };
  const pointer: Write = { op: 'put', table: 'control', row: movedRow(timer.id, timer.dueAt) };
  const writes = staysInPlace ? [{ ...put, condition: asFound(found) }, pointer] : [removeFound(found), put, pointer];
  return { writes: [...writes, ...movePlaceWrites(found.job, job)], job: timer };
}

/** The same, to its queue whenever it is due: a ready one is dispatched again, and its old message becomes stale. */
export function readyWrites(found: Living, job: Job, terms: ReadyTerms): Moved & { readonly ready: LeasedJob } {
  const ready = readyRow(job, terms);
  const put = { op: 'put', table: 'jobs', row: jobRow(ready) } as const;
  const writes: Write[] =
    found.table === 'jobs' ? [{ ...put, condition: asFound(found) }] : [removeFound(found), { ...put, condition: noRow('id') }];
  return { writes: [...writes, ...movePlaceWrites(found.job, job)], job: ready, ready };
}
