import { pick } from '../../shared/job/defined.ts';
import { type Belongings, belongingsOf, type DeadReason, type Job } from '../../shared/job/job.ts';
import type { AnyJobType } from '../../shared/job/job-type.ts';
import { decodePayload } from '../../shared/job/payload.ts';
import type { Row } from '../../shared/ports/tables.ts';
import { isQueueOwner } from '../../shared/job/lock-owner.ts';
import { decodeDeadLetter, decodeJob, decodeLeasedJob } from '../../shared/store/job-codec.ts';
import type { KitWorld } from './kit-world.ts';

/** A job that is still to run, with the options it was enqueued with. */
export interface EnqueuedJob<Payload = unknown> extends Belongings {
  readonly id: string;
  readonly type: string;
  /** The stored text if `codec` says what encoded it. */
  readonly payload: Payload;
  readonly codec?: string;
  readonly dueAt: Date;
  /** Until when it has to start for the first time. */
  readonly startBy?: Date;
  readonly priority: number;
  readonly failures: number;
  readonly key?: string;
}

/** A job that will not be tried again until it is redriven. */
export interface KeptDeadLetter<Payload = unknown> extends EnqueuedJob<Payload> {
  readonly reason: DeadReason;
  readonly failedAt: Date;
  readonly error?: { readonly name: string; readonly message: string };
}

/** Jobs that wait or are ready, by due time, those of one due time in the order in which they were enqueued. */
export function enqueuedJobs({ tables }: KitWorld, type: AnyJobType | undefined): readonly EnqueuedJob[] {
  const ofType = (row: Row): boolean => type === undefined || row['type'] === type.name;
  const ready = tables.rows('jobs').filter(ofType).map(decodeLeasedJob);
  const waiting = tables.rows('timers').filter(ofType).map(decodeJob);
  return [...ready.filter(({ lockOwner }) => isQueueOwner(lockOwner)), ...waiting]
    .toSorted((a, b) => a.dueAt - b.dueAt || (a.id < b.id ? -1 : 1))
    .map(shownJob);
}

/** The dead letters, in the order in which they died. */
export function deadLettersOf({ tables }: KitWorld, type: AnyJobType | undefined): readonly KeptDeadLetter[] {
  return tables
    .rows('deadLetters')
    .filter((row) => type === undefined || row['type'] === type.name)
    .map(decodeDeadLetter)
    .toSorted((a, b) => a.failedAt - b.failedAt || (a.id < b.id ? -1 : 1))
    .map((dead) => ({
      ...shownJob(dead),
      reason: dead.reason,
      failedAt: new Date(dead.failedAt),
      ...(dead.error === undefined ? {} : { error: { name: dead.error.name, message: dead.error.message } }),
    }));
}

function shownJob(job: Job): EnqueuedJob {
  return {
    id: job.id,
    type: job.type,
    payload: job.codec === undefined ? decodePayload(job.payload) : job.payload,
    dueAt: new Date(job.dueAt),
    ...(job.startBy === undefined ? {} : { startBy: new Date(job.startBy) }),
    priority: job.priority,
    failures: job.failures,
    ...pick(job, 'codec', 'key'),
    ...belongingsOf(job),
  };
}
