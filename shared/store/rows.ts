import { iso } from '../job/instant.ts';
import type { DeadLetter, FinishedJob, Job, LeasedJob, SuspendedJob } from '../job/job.ts';
import { dayPartOf, dayParts, dueAtOf, type JobId, leafOf, shardOf } from '../job/job-id.ts';
import type { Row, RowKey } from '../ports/tables.ts';
import { encodeJob, withoutLease } from './job-codec.ts';

const DAY_SECONDS = 86_400;

/** Key of a row in Jobs, DeadLetters or Suspended. */
export const idKey = (id: JobId): RowKey => ({ id });

/** Sort key of a timer: sorts by due time, then id. */
export const timerDue = (id: JobId, dueAt: number): string => `${iso(dueAt)}#${id}`;

/** Key of a timer that is due at `dueAt`; without it, at the time at which the id was first due. */
export const timerKey = (id: JobId, dueAt: number = dueAtOf(id)): RowKey => ({ shard: shardOf(id), due: timerDue(id, dueAt) });

/** What the partitions of Timers begin with that hold jobs parked under a limit. */
export const PARKED = 'limit#';

/** Whether a partition of Timers holds parked jobs. */
export const isParked = (shard: unknown): boolean => String(shard).startsWith(PARKED);

/** The last sort key that is due at `at`: every id sorts before `~`. */
export const timerDueThrough = (at: number): string => `${iso(at)}#~`;

/** Key of a finished job, derived from its id alone. */
export const historyKey = (id: JobId): RowKey => ({ day: `${iso(dueAtOf(id)).slice(0, 10)}#${dayPartOf(id)}`, id });

/** All 64 partitions of History for jobs that were first due on a day, `2026-01-31`. */
export const historyPartitions = (day: string): readonly string[] => dayParts().map((part) => `${day}#${part}`);

/** The lowest text that the id of a job can begin with that is first due at an instant. */
export function idPrefix(ms: number): string {
  const time = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Whether a row of History is a finished job: attempts and entries of the event log have ids of several parts. */
export const isFinishedRow = (row: Row): boolean => !String(row['id']).includes('#');

/** Row of Jobs. */
export const jobRow = (job: LeasedJob): Row => encodeJob(job);

/** Row of Timers; the sort key contains the due time. */
export const timerRow = (job: Job): Row => ({ ...encodeJob(withoutLease(job)), ...timerKey(job.id, job.dueAt) });

/** Row of DeadLetters. The leaves spread a type or fault that fails by the thousands over 16 index partitions. */
export const deadLetterRow = (dead: DeadLetter): Row => ({
  ...encodeJob(withoutLease(dead)),
  typeLeaf: `${dead.type}#${leafOf(dead.id)}`,
  fingerprintLeaf: `${dead.fingerprint}#${leafOf(dead.id)}`,
});

/** Row of Suspended. */
export const suspendedRow = (job: SuspendedJob): Row => ({
  ...encodeJob(withoutLease(job)),
  causeLeaf: `${job.cause}#${leafOf(job.id)}`,
});

/** Row of History; TTL removes it `days` after it finished. */
export const historyRow = (job: FinishedJob, days: number): Row => ({
  ...encodeJob(withoutLease(job as unknown as Job)),
  ...historyKey(job.id),
  expiresAt: Math.floor(job.finishedAt / 1000) + days * DAY_SECONDS,
});
