import { iso } from '../job/instant.ts';
import type { LeasedJob } from '../job/job.ts';
import { queueLeaseUntil } from '../job/lease.ts';
import { isQueueOwner, queueOwner, redispatchesOf, waitsAlone } from '../job/lock-owner.ts';
import type { Tables } from '../ports/tables.ts';
import { all, leaseIs, notCancelled } from './conditions.ts';
import { decodeLeasedJob } from './job-codec.ts';
import type { ReadyTerms } from './ready-row.ts';
import { idKey } from './rows.ts';
import type { Lost } from './transact-while-leased.ts';

/** The job is dispatched again; `job` is its new row, for the hint. */
export type Reset = { readonly result: 'ready'; readonly job: LeasedJob } | Lost;

/**
 * A lease that ran out goes back to the queue: one update, on the very lease that was seen (Flowable resets without looking,
 * and frees live locks), and not if a cancel has been requested since. Redispatches in a row wait longer each time.
 */
export async function reset(tables: Tables, seen: LeasedJob, terms: ReadyTerms & { readonly crashes: number }): Promise<Reset> {
  const redispatches = isQueueOwner(seen.lockOwner) ? redispatchesOf(seen.lockOwner) + 1 : 0;
  const alone = !isQueueOwner(seen.lockOwner) || waitsAlone(seen.lockOwner);
  const owner = queueOwner(terms.token, redispatches, alone);
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(seen.id),
    set: {
      lockOwner: owner,
      lockExpiresAt: iso(queueLeaseUntil(terms.now, seen.dueAt, terms.redispatchAfterMs, redispatches)),
      crashes: terms.crashes,
    },
    add: { rev: 1, dispatches: 1 },
    condition: all(leaseIs(seen.lockOwner, seen.lockExpiresAt), notCancelled),
  });
  const { row } = outcome;
  if (row !== undefined && (outcome.applied || row['lockOwner'] === owner)) return { result: 'ready', job: decodeLeasedJob(row) };
  return { result: 'lost' };
}
