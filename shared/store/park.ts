import { iso } from '../job/instant.ts';
import { allowLate, type Job, type LeasedJob } from '../job/job.ts';
import type { AppliedLimit } from '../job/limit.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { all, heldBy, revIs } from './conditions.ts';
import { unstarted } from './job-codec.ts';
import { limitPartition, listingKey, parkedPointerRow, parkedRow } from './parked-rows.ts';
import { idKey } from './rows.ts';
import { type CancelAsked, type Lost, transactWhileLeased } from './transact-while-leased.ts';

/**
 * Parks a claimed job under a limit that has no room, or in a group whose turn is another job's: no counter moves. The limit is listed in
 * Control first, outside of the transaction, because many jobs park at once: the acquirer finds the job even if everything stops in between. `place`: writes
 * of the order of its group, made with the move.
 */
export async function park(
  tables: Tables,
  job: LeasedJob,
  terms: { readonly limit: AppliedLimit; readonly now: number; readonly place?: readonly Write[] },
): Promise<{ readonly result: 'parked' } | Lost | CancelAsked> {
  const { limit, now, place = [] } = terms;
  await tables.write({
    op: 'update',
    table: 'control',
    key: listingKey(limit.hash),
    set: { limit: limit.name, n: limit.coded ?? limit.n, seenAt: iso(now) },
  });
  return transactWhileLeased(tables, job, (current) => {
    // It was claimed but never started. The missed policy was applied before it came here.
    const parked: Job = allowLate({ ...unstarted(current), starts: current.starts - 1, rev: current.rev + 1 });
    return {
      writes: {
        job: { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), revIs(current.rev)) },
        parked: { op: 'put', table: 'timers', row: parkedRow(parked, limit.hash, now) },
        pointer: { op: 'put', table: 'control', row: parkedPointerRow(job.id, limit.hash, now) },
        place,
      },
      result: { result: 'parked' } as const,
    };
  });
}

/** Whether a job already waits under the limit; eventually consistent, half a read unit. */
export async function anyParked(tables: Tables, hash: string): Promise<boolean> {
  return (await tables.query({ table: 'timers', partition: limitPartition(hash), limit: 1 })).rows.length > 0;
}
