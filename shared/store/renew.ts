import { iso } from '../job/instant.ts';
import type { LeasedJob } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { all, endsBy, heldBy } from './conditions.ts';
import { decodeLeasedJob } from './job-codec.ts';
import { idKey } from './rows.ts';
import type { Lost } from './transact-while-leased.ts';

/** The lease is longer; `job` is the row as it is now, so that a cancel request shows. */
export type Renewed = { readonly result: 'renewed'; readonly job: LeasedJob } | Lost;

/**
 * Lengthens the lease of a running job: one update, fenced by its owner. It may be repeated after a lost reply: the second one only
 * says the same. Never shortens a lease: an earlier attempt may arrive late. `lost`: the row is gone or held by another process, so the run must end and record nothing.
 */
export async function renew(tables: Tables, job: Pick<LeasedJob, 'id' | 'lockOwner'>, expiresAt: number): Promise<Renewed> {
  const { applied, row } = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: { lockExpiresAt: iso(expiresAt) },
    add: { rev: 1 },
    condition: all(heldBy(job.lockOwner), endsBy(expiresAt)),
  });
  return row !== undefined && (applied || row['lockOwner'] === job.lockOwner)
    ? { result: 'renewed', job: decodeLeasedJob(row) }
    : { result: 'lost' };
}
