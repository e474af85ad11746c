import { sha256 } from '../core/hash.ts';
import type { Job, LeasedJob, SuspendedJob } from '../core/job.ts';
import type { Tables } from '../ports/tables.ts';
import { noRow, revIs } from './conditions.ts';
import { type ReadyTerms, readyRow } from './make-ready.ts';
import { idKey, jobRow } from './rows.ts';
import type { Lost } from './settled.ts';

/** A suspended job is ready again: one transaction on the row that was seen. Counters stay as they were. */
export async function activate(
  tables: Tables,
  seen: SuspendedJob,
  terms: ReadyTerms,
): Promise<{ readonly result: 'ready'; readonly job: LeasedJob } | Lost> {
  const { cause: _cause, suspendedAt: _at, from: _from, tryAt: _tryAt, tries: _tries, ...job } = seen;
  const ready = readyRow(job satisfies Job, terms);
  const outcome = await tables.transact(
    [
      { op: 'delete', table: 'suspended', key: idKey(seen.id), condition: revIs(seen.rev) },
      { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') },
    ],
    sha256(`activate/${seen.id}/${seen.rev}/${terms.token}`),
  );
  return outcome.applied ? { result: 'ready', job: ready } : { result: 'lost' };
}
