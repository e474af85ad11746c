import type { Job, LeasedJob } from '../job/job.ts';
import { queueLeaseUntil } from '../job/lease.ts';
import { queueOwner } from '../job/lock-owner.ts';
import { withoutLease } from './job-codec.ts';

/** When a job is made ready, and for how long its queue may take to deliver it. */
export interface ReadyTerms {
  readonly token: string;
  readonly now: number;
  readonly redispatchAfterMs: number;
}

/** When a job goes back to where it waits; one that is due beyond the delay horizon waits in Timers. */
export interface ResumeTerms extends ReadyTerms {
  readonly delayHorizonMs: number;
}

/** The row of Jobs of a job that is dispatched: leased to its queue, one dispatch more. */
export function readyRow({ alone, ...job }: Job, terms: ReadyTerms): LeasedJob {
  return {
    ...withoutLease(job),
    rev: job.rev + 1,
    dispatches: job.dispatches + 1,
    lockOwner: queueOwner(terms.token, 0, alone === true),
    lockExpiresAt: queueLeaseUntil(terms.now, job.dueAt, terms.redispatchAfterMs),
  };
}
