import { iso } from '../core/instant.ts';
import type { LeasedJob, SuspendedJob } from '../core/job.ts';
import type { Tables } from '../ports/tables.ts';
import { all, heldBy, revIs } from './conditions.ts';
import { heldCauseKey } from './control-rows.ts';
import { withoutLease } from './job-codec.ts';
import { idKey, suspendedRow } from './rows.ts';
import { type CancelAsked, type Lost, moveFenced } from './settled.ts';

/** Cause of jobs that wait for a worker that knows their type. */
export const noHandlerCause = (type: string): string => `no-handler#${type}`;

/**
 * Parks a running job in Suspended: no counter moves. The cause is listed in Control first, so that the sweeper finds the
 * job even if everything stops in between.
 */
export async function suspend(
  tables: Tables,
  job: LeasedJob,
  terms: { readonly cause: string; readonly now: number; readonly tryAt: number; readonly tries: number },
): Promise<{ readonly result: 'suspended' } | Lost | CancelAsked> {
  await tables.write({
    op: 'update',
    table: 'control',
    key: heldCauseKey(terms.cause),
    set: { cause: terms.cause, seenAt: iso(terms.now) },
  });
  return moveFenced(tables, job, (current) => {
    const suspended: SuspendedJob = {
      ...withoutLease(current),
      // It was claimed but never started.
      starts: current.starts - 1,
      rev: current.rev + 1,
      cause: terms.cause,
      suspendedAt: terms.now,
      from: 'jobs',
      tryAt: terms.tryAt,
      tries: terms.tries,
    };
    return {
      writes: [
        { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), revIs(current.rev)) },
        { op: 'put', table: 'suspended', row: suspendedRow(suspended) },
      ],
      token: `suspend/${job.id}/${job.lockOwner}/${current.rev}`,
      result: { result: 'suspended' } as const,
    };
  });
}
