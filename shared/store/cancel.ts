import { sha256 } from '../core/hash.ts';
import type { FinishedJob, Job, LeasedJob } from '../core/job.ts';
import type { JobId } from '../core/job-id.ts';
import { keyToCancel } from '../core/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { all, heldBy, keyOfJob, leaseIs, notRunning, revIs } from './conditions.ts';
import { uniqueKeyKey } from './control-rows.ts';
import { withoutLease } from './job-codec.ts';
import { type Located, locate } from './locate.ts';
import { historyRow, idKey } from './rows.ts';

/** What a cancel found. `cancel-requested`: the job runs; whatever ends its run ends it as cancelled. */
export type CancelOutcome = 'cancelled' | 'cancel-requested' | 'dead' | 'finished' | 'not-found';

/** What a cancel needs besides the id. `token` is fresh for each call; without `historyDays` nothing is kept of the job. */
export interface CancelTerms {
  readonly token: string;
  readonly now: number;
  readonly historyDays?: number;
}

const MAX_LOOKS = 5;

/**
 * Cancels a job wherever it lies: one transaction that deletes it if it does not run, frees its key and keeps it in History,
 * or a request if it runs. When the job moves in between, it is located anew.
 */
export async function cancel(tables: Tables, id: JobId, terms: CancelTerms): Promise<{ outcome: CancelOutcome; job?: Located['job'] }> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = await locate(tables, id);
    if (found === undefined) return { outcome: 'not-found' };
    if (found.state === 'dead' || found.state === 'finished') return { outcome: found.state, job: found.job };
    if (found.state === 'running') {
      if (await requestCancel(tables, found.job)) return { outcome: 'cancel-requested', job: found.job };
      continue;
    }
    const unchanged = found.state === 'ready' ? all(notRunning, revIs(found.job.rev)) : revIs(found.job.rev);
    const remove: Write = { op: 'delete', table: found.table, key: found.key, condition: unchanged };
    const removal = { writes: [remove, ...historyOf(found.job, terms)], token: `cancel/${id}/${terms.token}/${look}` };
    if (await removeWithKey(tables, found.job, removal)) return { outcome: 'cancelled', job: found.job };
  }
  return { outcome: 'not-found' };
}

async function requestCancel(tables: Tables, job: LeasedJob): Promise<boolean> {
  const outcome = await tables.write({
    op: 'update',
    table: 'jobs',
    key: idKey(job.id),
    set: { cancelRequested: true },
    add: { rev: 1 },
    condition: heldBy(job.lockOwner),
  });
  return outcome.applied;
}

/** Ends a running job as cancelled: its executor, or the sweeper once its lease ran out. False when the lease is another's. */
export async function endAsCancelled(tables: Tables, job: LeasedJob, by: 'owner' | 'sweeper'): Promise<boolean> {
  const condition = by === 'owner' ? heldBy(job.lockOwner) : leaseIs(job.lockOwner, job.lockExpiresAt);
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition };
  return removeWithKey(tables, job, { writes: [remove], token: `cancelled/${job.id}/${job.lockOwner}/${by}` });
}

function historyOf(job: Job, { now, historyDays }: CancelTerms): Write[] {
  if (historyDays === undefined) return [];
  const { payload: _payload, error: _error, ...kept } = withoutLease(job);
  const finished: FinishedJob = { ...kept, outcome: 'cancelled', finishedAt: now };
  return [{ op: 'put', table: 'history', row: historyRow(finished, historyDays) }];
}

interface Removal {
  /** The first one deletes the row, on a condition. */
  readonly writes: readonly Write[];
  readonly token: string;
}

/** Deletes a row and frees its key; a key that belongs to another job by now is left out. */
async function removeWithKey(tables: Tables, job: Job, { writes, token }: Removal): Promise<boolean> {
  const key = keyToCancel(job);
  const release: Write[] =
    key === undefined ? [] : [{ op: 'delete', table: 'control', key: uniqueKeyKey(key), condition: keyOfJob(job.id) }];
  const outcome = await tables.transact([...writes, ...release], sha256(token));
  if (outcome.applied) return true;
  if (outcome.reasons[0]?.code !== 'none' || release.length === 0) return false;
  return (await tables.transact(writes, sha256(`${token}/without-key`))).applied;
}
