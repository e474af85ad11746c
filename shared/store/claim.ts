import { iso } from '../job/instant.ts';
import type { LeasedJob } from '../job/job.ts';
import type { JobId } from '../job/job-id.ts';
import { isQueueOwner, type LockOwner } from '../job/lock-owner.ts';
import type { Row, Tables } from '../ports/tables.ts';
import { all, claimable, leaseIs, notCancelled } from './conditions.ts';
import { decodeLeasedJob } from './job-codec.ts';
import { idKey } from './rows.ts';

/** The requested lease. */
export interface Lease {
  readonly owner: LockOwner;
  readonly expiresAt: number;
}

/** The result of a claim. Only `claimed` may run the job; `ambiguous`: a lost reply hid the success at first. */
export type Claim =
  | { readonly result: 'claimed'; readonly job: LeasedJob; readonly ambiguous: boolean }
  /** The job is finished, dead, suspended or waiting: acknowledge the message. */
  | { readonly result: 'gone' }
  /** A newer hint exists: acknowledge this one. */
  | { readonly result: 'stale' }
  | { readonly result: 'not-due'; readonly dueAt: number }
  | { readonly result: 'held'; readonly until: number }
  /** An executor's lease ran out: the caller decides what that means (`decideCrash`), and may call `takeOver` with what was seen. */
  | { readonly result: 'expired'; readonly seen: LeasedJob }
  | { readonly result: 'unreadable'; readonly row: Row; readonly error: Error };

/** Claims a ready job that is due: one conditional write, whose reply contains the row, so that no read is needed. */
export async function claim(tables: Tables, hint: { id: JobId; n: number }, lease: Lease, now: number): Promise<Claim> {
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(hint.id),
    set: { lockOwner: lease.owner, lockExpiresAt: iso(lease.expiresAt) },
    add: { rev: 1, starts: 1 },
    condition: claimable(now),
  });
  return classify(outcome, hint.n, lease, now);
}

/** Takes a job over from an executor whose lease expired. `crashes` is the counter's new value. */
export async function takeOver(tables: Tables, seen: LeasedJob, lease: Lease, after: { crashes: number; now: number }): Promise<Claim> {
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(seen.id),
    set: { lockOwner: lease.owner, lockExpiresAt: iso(lease.expiresAt), crashes: after.crashes },
    add: { rev: 1, starts: 1 },
    condition: all(leaseIs(seen.lockOwner, seen.lockExpiresAt), notCancelled),
  });
  return classify(outcome, seen.dispatches, lease, after.now);
}

function classify(outcome: { applied: boolean; row?: Row }, n: number, lease: Lease, now: number): Claim {
  const { row } = outcome;
  if (row === undefined) return { result: 'gone' };
  let job: LeasedJob;
  try {
    job = decodeLeasedJob(row);
  } catch (error) {
    return { result: 'unreadable', row, error: error as Error };
  }
  if (outcome.applied || job.lockOwner === lease.owner) return { result: 'claimed', job, ambiguous: !outcome.applied };
  if (!isQueueOwner(job.lockOwner) && job.lockExpiresAt <= now) return { result: 'expired', seen: job };
  if (n < job.dispatches) return { result: 'stale' };
  if (isQueueOwner(job.lockOwner)) return { result: 'not-due', dueAt: job.dueAt };
  return { result: 'held', until: job.lockExpiresAt };
}
