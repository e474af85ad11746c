import type { DeadLetter, FinishedJob, Job, LeasedJob, SuspendedJob } from '../job/job.ts';
import { RowUnreadableError } from '../job/errors.ts';
import { isJobId, type JobId } from '../job/job-id.ts';
import { isQueueOwner } from '../job/lock-owner.ts';
import type { RowKey, Tables } from '../ports/tables.ts';
import { findRow, type FoundRow } from './find-row.ts';
import { decodeDeadLetter, decodeFinishedJob, decodeJob, decodeLeasedJob, decodeSuspendedJob } from './job-codec.ts';
import { isParked } from './rows.ts';

/** A job, the state it is in, and the key of its row. */
export type Located =
  | { readonly state: 'ready' | 'running'; readonly table: 'jobs'; readonly key: RowKey; readonly job: LeasedJob }
  | { readonly state: 'waiting' | 'parked'; readonly table: 'timers'; readonly key: RowKey; readonly job: Job }
  | { readonly state: 'suspended'; readonly table: 'suspended'; readonly key: RowKey; readonly job: SuspendedJob }
  | { readonly state: 'dead'; readonly table: 'deadLetters'; readonly key: RowKey; readonly job: DeadLetter }
  | { readonly state: 'finished'; readonly table: 'history'; readonly key: RowKey; readonly job: FinishedJob };

/** A job that has not ended, in any table. */
export type Living = Exclude<Located, { readonly state: 'dead' | 'finished' }>;

/**
 * Finds a job by its id in any table, in up to seven consistent reads. If it is in none, searches once more: it may
 * have moved between two reads. Undefined also for a finished job that History no longer keeps.
 */
export async function locate(tables: Tables, id: JobId): Promise<Located | undefined> {
  const found = await findRow(tables, id);
  return found && locatedRow(found);
}

/** The same; `unreadable` for a row that cannot be read: it is there all the same, until it is quarantined. */
export async function locateOrUnreadable(tables: Tables, id: JobId): Promise<Located | 'unreadable' | undefined> {
  return locate(tables, id).catch((error: unknown) => {
    if (error instanceof RowUnreadableError) return 'unreadable';
    throw error;
  });
}

/** The job that a row names, if it has not ended. */
export async function locateLiving(tables: Tables, id: unknown): Promise<Living | 'unreadable' | undefined> {
  const found = isJobId(id) ? await locateOrUnreadable(tables, id) : undefined;
  if (found === undefined || found === 'unreadable') return found;
  return found.state === 'dead' || found.state === 'finished' ? undefined : found;
}

/** Decodes a row with its state, given by its table and lock owner. Throws RowUnreadableError, naming the attribute. */
export function locatedRow({ table, key, row }: FoundRow): Located {
  switch (table) {
    case 'jobs': {
      const job = decodeLeasedJob(row);
      return { state: isQueueOwner(job.lockOwner) ? 'ready' : 'running', table, key, job };
    }
    case 'timers':
      return { state: isParked(key['shard']) ? 'parked' : 'waiting', table, key, job: decodeJob(row) };
    case 'suspended':
      return { state: 'suspended', table, key, job: decodeSuspendedJob(row) };
    case 'deadLetters':
      return { state: 'dead', table, key, job: decodeDeadLetter(row) };
    case 'history':
      return { state: 'finished', table, key, job: decodeFinishedJob(row) };
  }
}
