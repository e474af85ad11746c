import type { FinishedJob, FinishedOutcome, LeasedJob } from '../job/job.ts';
import { keyToCancel } from '../job/unique-key.ts';
import type { Tables, Write } from '../ports/tables.ts';
import type { CancelTerms } from './cancel.ts';
import { whyOf } from './cancel-why.ts';
import { all, heldBy, notCancelled } from './conditions.ts';
import { endingWrites } from './endings.ts';
import { withoutLease } from './job-codec.ts';
import { historyRow, idKey } from './rows.ts';
import type { CancelAsked, Lost } from './transact-while-leased.ts';
import { transactEnding } from './transact-ending.ts';

/** The outcome of a claimed job that must not start. */
export type UnstartedOutcome = Extract<FinishedOutcome, 'skipped' | 'expired'>;

/**
 * Ends a claimed job that must not start: one transaction that deletes it, frees its key, counts it in its batch as cancelled and keeps it in
 * History. A cancel request goes before it. Throws StoreUnavailableError when one of the `more` writes is refused.
 */
export async function endUnstarted(
  tables: Tables,
  job: LeasedJob,
  { outcome, more = [] }: { readonly outcome: UnstartedOutcome; readonly more?: readonly Write[] },
  terms: CancelTerms,
): Promise<{ readonly result: UnstartedOutcome } | Lost | CancelAsked> {
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), notCancelled) };
  const ended = await transactEnding(tables, {
    id: job.id,
    fences: [remove],
    writes: [...more, ...endingWrites(job, 'cancelled'), ...historyOf(job, outcome, terms)],
    key: keyToCancel(job),
    token: `${outcome}/${job.id}/${job.lockOwner}/${terms.token}`,
  });
  if (ended.applied) return { result: outcome };
  return ended.row?.['lockOwner'] === job.lockOwner ? { result: 'cancel-asked', why: whyOf(ended.row) } : { result: 'lost' };
}

function historyOf(job: LeasedJob, outcome: UnstartedOutcome, { now, historyDays }: CancelTerms): Write[] {
  if (historyDays === undefined) return [];
  const { payload: _payload, codec: _codec, error: _error, lastErrors: _past, ...kept } = withoutLease(job);
  // The claim came to no attempt.
  const finished: FinishedJob = { ...kept, starts: job.starts - 1, outcome, finishedAt: now };
  return [{ op: 'put', table: 'history', row: historyRow(finished, historyDays) }];
}
