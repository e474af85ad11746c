import type { DeadLetter, FinishedJob, Job, LeasedJob, SuspendedJob } from '../core/job.ts';
import type { JobId } from '../core/job-id.ts';
import { isQueueOwner } from '../core/lock-owner.ts';
import type { Row, RowKey, TableName, Tables } from '../ports/tables.ts';
import { movedKey } from './control-rows.ts';
import { decodeDeadLetter, decodeFinishedJob, decodeJob, decodeLeasedJob, decodeSuspendedJob } from './job-codec.ts';
import { isParked } from './limit-rows.ts';
import { historyKey, idKey, timerKey } from './rows.ts';

/** A job, the state it is in, and the key of its row. */
export type Located =
  | { readonly state: 'ready' | 'running'; readonly table: 'jobs'; readonly key: RowKey; readonly job: LeasedJob }
  | { readonly state: 'waiting' | 'parked'; readonly table: 'timers'; readonly key: RowKey; readonly job: Job }
  | { readonly state: 'suspended'; readonly table: 'suspended'; readonly key: RowKey; readonly job: SuspendedJob }
  | { readonly state: 'dead'; readonly table: 'deadLetters'; readonly key: RowKey; readonly job: DeadLetter }
  | { readonly state: 'finished'; readonly table: 'history'; readonly key: RowKey; readonly job: FinishedJob };

/**
 * Finds a job by its id wherever it lies, in up to six consistent reads. A job found nowhere is looked for once more: it may
 * have moved between two looks. Undefined also for a finished job that History no longer keeps.
 */
export async function locate(tables: Tables, id: JobId): Promise<Located | undefined> {
  return (await look(tables, id)) ?? (await look(tables, id));
}

async function look(tables: Tables, id: JobId): Promise<Located | undefined> {
  const job = await tables.get('jobs', idKey(id));
  if (job) return inJobs(id, job);
  const timer = await lookInTimers(tables, id);
  if (timer) return timer;
  const elsewhere = async (table: TableName, key: RowKey): Promise<Row | undefined> => tables.get(table, key);
  const [suspended, dead, finished] = await Promise.all([
    elsewhere('suspended', idKey(id)),
    elsewhere('deadLetters', idKey(id)),
    elsewhere('history', historyKey(id)),
  ]);
  if (suspended) return { state: 'suspended', table: 'suspended', key: idKey(id), job: decodeSuspendedJob(suspended) };
  if (dead) return { state: 'dead', table: 'deadLetters', key: idKey(id), job: decodeDeadLetter(dead) };
  if (finished) return { state: 'finished', table: 'history', key: historyKey(id), job: decodeFinishedJob(finished) };
  return undefined;
}

function inJobs(id: JobId, row: Row): Located {
  const job = decodeLeasedJob(row);
  return { state: isQueueOwner(job.lockOwner) ? 'ready' : 'running', table: 'jobs', key: idKey(id), job };
}

async function lookInTimers(tables: Tables, id: JobId): Promise<Located | undefined> {
  const first = timerKey(id);
  const [row, moved] = await Promise.all([tables.get('timers', first), tables.get('control', movedKey(id))]);
  if (row) return { state: 'waiting', table: 'timers', key: first, job: decodeJob(row) };
  if (moved === undefined) return undefined;
  const shard = moved['shard'] ?? first['shard'];
  const key = { shard: String(shard), due: String(moved['due']) };
  const movedRow = await tables.get('timers', key);
  return movedRow && { state: isParked(shard) ? 'parked' : 'waiting', table: 'timers', key, job: decodeJob(movedRow) };
}
