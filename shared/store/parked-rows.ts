import type { Job } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import type { Row, RowKey } from '../ports/tables.ts';
import { movedKey } from './control-rows.ts';
import { encodeJob, withoutLease } from './job-codec.ts';
import { PARKED, timerDue } from './rows.ts';

/** A job may be parked for long; its pointer must not go before it. */
const POINTER_MS = 400 * 86_400_000;

/** Partition of a limit's slots in Control, and of the jobs that are parked under it in Timers. */
export const limitPartition = (hash: string): string => `${PARKED}${hash}`;

/** Key of a parked job: those that were parked first come first. */
export const parkedKey = (hash: string, id: JobId, at: number): RowKey => ({ shard: limitPartition(hash), due: timerDue(id, at) });

/** Row of a parked job. */
export const parkedRow = (job: Job, hash: string, at: number): Row => ({ ...encodeJob(withoutLease(job)), ...parkedKey(hash, job.id, at) });

/** The position of a parked job; overwritten when the job moves to another position in Timers. */
export const parkedPointerRow = (id: JobId, hash: string, at: number): Row => ({
  ...movedKey(id),
  ...parkedKey(hash, id, at),
  expiresAt: Math.ceil((at + POINTER_MS) / 1000),
});

/** Partition that lists the limits under which jobs may be parked. */
export const PARKED_LISTING = 'parked';

/** Key of a limit in the listing. */
export const listingKey = (hash: string): RowKey => ({ pk: PARKED_LISTING, sk: hash });
