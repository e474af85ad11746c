import { defined } from '../job/defined.ts';
import { dueAgain, isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import type { Condition, Tables, Write } from '../ports/tables.ts';
import type { ResumeTerms } from './resume.ts';
import { all, noRow, notRunning, revIs } from './conditions.ts';
import { movedRow } from './control-rows.ts';
import { unstarted } from './job-codec.ts';
import { movePlaceWrites, placedAgain } from './group-places.ts';
import { type Located, locate } from './locate.ts';
import { readyRow } from './ready-row.ts';
import { jobRow, timerKey, timerRow } from './rows.ts';
import { tryTransact } from './transact.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/**
 * What a reschedule found. Only `rescheduled` wrote; `ready` is the row to send a hint for, when it is due soon. `occurrence`: it waits
 * for its schedule, which would stop until the new time.
 */
export type Rescheduled =
  | { readonly outcome: 'rescheduled'; readonly ready?: LeasedJob; readonly job: Job }
  | { readonly outcome: 'occurrence' | 'running' | 'suspended' | 'dead' | 'finished' | 'not-found' };

const MAX_LOOKS = 5;

/** Gives a waiting, parked or ready job another due time, in one transaction on the row that was seen. */
export async function reschedule(tables: Tables, id: JobId, dueAt: number, terms: ResumeTerms): Promise<Rescheduled> {
  const attempt = async (look: number): Promise<Rescheduled | typeof CHANGED> => {
    const found = await locate(tables, id);
    if (found === undefined) return { outcome: 'not-found' };
    if (found.state !== 'ready' && found.state !== 'waiting' && found.state !== 'parked') return { outcome: found.state };
    if (found.state === 'waiting' && isOccurrence(found.job)) return { outcome: 'occurrence' };
    const job: Job = placedAgain(dueAgain(found.state === 'ready' ? unstarted(found.job) : found.job, dueAt), terms.now);
    const { writes, ready } = movedWrites(found, job, terms);
    const { applied } = await tryTransact(tables, `reschedule/${id}/${terms.token}/${look}`, { writes });
    return applied ? { outcome: 'rescheduled', job, ...defined({ ready }) } : CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('reschedule'));
}

/** The writes of a job that moves, and its new row if it is ready: that one needs a hint. */
export interface Moved {
  readonly writes: readonly Write[];
  readonly job: Job;
  readonly ready?: LeasedJob;
}

/** Writes a waiting, parked or ready job as `job`, which may be due at another time, on the row that was seen. */
export function movedWrites(found: Located, job: Job, terms: ResumeTerms): Moved {
  const place = movePlaceWrites(found.job, job);
  if (job.dueAt > terms.now + terms.delayHorizonMs) return { writes: [...toTimers(found, job), ...place], job };
  const ready = readyRow(job, terms);
  return { writes: [...toJobs(found, ready), ...place], job, ready };
}

function unchanged(found: Located): Condition {
  const rev = revIs((found.job as Job).rev);
  return found.table === 'jobs' ? all(notRunning, rev) : rev;
}

function toJobs(found: Located, ready: LeasedJob): Write[] {
  if (found.table === 'jobs') return [{ op: 'put', table: 'jobs', row: jobRow(ready), condition: unchanged(found) }];
  return [
    { op: 'delete', table: found.table, key: found.key, condition: unchanged(found) },
    { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
  ];
}

function toTimers(found: Located, moved: Job): Write[] {
  const timer: Job = { ...moved, rev: moved.rev + 1 };
  const put: Write = { op: 'put', table: 'timers', row: timerRow(timer) };
  const point: Write = { op: 'put', table: 'control', row: movedRow(timer.id, timer.dueAt) };
  const { shard, due } = timerKey(timer.id, timer.dueAt);
  const staysInPlace = found.table === 'timers' && found.key['shard'] === shard && found.key['due'] === due;
  if (staysInPlace) return [{ ...put, condition: unchanged(found) }, point];
  return [{ op: 'delete', table: found.table, key: found.key, condition: unchanged(found) }, put, point];
}
