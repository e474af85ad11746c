import { defined } from '../core/defined.ts';
import { iso } from '../core/instant.ts';
import type { Job, LeasedJob, SuspendedJob } from '../core/job.ts';
import type { Tables } from '../ports/tables.ts';
import { all, heldBy, revIs } from './conditions.ts';
import { heldCauseKey } from './control-rows.ts';
import { unstarted } from './job-codec.ts';
import { idKey, suspendedRow } from './rows.ts';
import { type CancelAsked, type Lost, moveFenced } from './settled.ts';

/** Cause of jobs that wait for a worker that knows their type. */
export const noHandlerCause = (type: string): string => `no-handler#${type}`;

/** Cause of jobs that an operator stopped one by one: only an operator lets them go. */
export const BREAKPOINT = 'breakpoint';

/** Lists a cause in Control, before a job is moved for it: the sweeper finds the job even if everything stops in between. */
export async function listCause(tables: Tables, cause: string, now: number): Promise<void> {
  await tables.write({ op: 'update', table: 'control', key: heldCauseKey(cause), set: { cause, seenAt: iso(now) } });
}

/** Why a job lies in Suspended; `tryAt` for what is tried again by itself. */
export interface SuspendTerms {
  readonly cause: string;
  readonly now: number;
  readonly tryAt?: number;
  readonly tries?: number;
}

/** Parks a running job that never started in Suspended: no counter moves. Its cause must be listed already. */
export async function suspend(
  tables: Tables,
  job: LeasedJob,
  { cause, now, tryAt, tries }: SuspendTerms,
): Promise<{ readonly result: 'suspended' } | Lost | CancelAsked> {
  return moveFenced(tables, job, (current) => {
    const suspended: SuspendedJob = {
      ...unstarted(current),
      // It was claimed but never started.
      starts: current.starts - 1,
      rev: current.rev + 1,
      cause,
      suspendedAt: now,
      from: 'jobs',
      ...defined({ tryAt, tries }),
    };
    return {
      writes: {
        job: { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), revIs(current.rev)) },
        suspended: { op: 'put', table: 'suspended', row: suspendedRow(suspended) },
      },
      result: { result: 'suspended' } as const,
    };
  });
}

/** The job as it was before it was suspended. */
export function withoutSuspension(suspended: SuspendedJob): Job {
  const { cause: _cause, suspendedAt: _at, from: _from, tryAt: _tryAt, tries: _tries, reason: _reason, ...job } = suspended;
  return job;
}
