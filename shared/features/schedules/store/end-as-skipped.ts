import type { FinishedJob, LeasedJob } from '../../../core/job.ts';
import { keyToCancel } from '../../../core/unique-key.ts';
import type { Condition, Tables, Write } from '../../../ports/tables.ts';
import type { CancelTerms } from '../../../store/cancel.ts';
import { whyOf } from '../../../store/cancel-why.ts';
import { all, heldBy, noRow, notCancelled } from '../../../store/conditions.ts';
import { endingWrites } from '../../../store/endings.ts';
import { withoutLease } from '../../../store/job-codec.ts';
import { historyRow, idKey } from '../../../store/rows.ts';
import { scheduleKey } from './schedule-rows.ts';
import type { CancelAsked, Lost } from '../../../store/settled.ts';
import { transactEnding } from '../../../store/transact-ending.ts';

/** What must still hold of the schedule for its occurrence to be skipped. */
export type SkipFence =
  | { readonly schedule: 'there' }
  /** The attribute `pausedAt` as it was seen: a schedule that was resumed meanwhile lets its occurrence run. */
  | { readonly schedule: 'paused'; readonly pausedAt: string }
  | { readonly schedule: 'gone' };

/**
 * Ends an occurrence that is not to start: one transaction that deletes the job, counts it in its schedule and keeps it in History
 * with the outcome `skipped`. A cancel request goes before it. Throws StoreUnavailableError when the schedule is not as it was seen:
 * the job goes back and is looked at again.
 */
export async function endAsSkipped(
  tables: Tables,
  job: LeasedJob,
  fence: SkipFence,
  terms: CancelTerms,
): Promise<{ readonly result: 'skipped' } | Lost | CancelAsked> {
  const remove: Write = { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), notCancelled) };
  const ended = await transactEnding(tables, {
    id: job.id,
    fences: [remove],
    writes: [countSkipped(job.schedule ?? '', fence), ...endingWrites(job, 'cancelled'), ...historyOf(job, terms)],
    key: keyToCancel(job),
    token: `skipped/${job.id}/${job.lockOwner}/${terms.token}`,
  });
  if (ended.applied) return { result: 'skipped' };
  return ended.row?.['lockOwner'] === job.lockOwner ? { result: 'cancel-asked', why: whyOf(ended.row) } : { result: 'lost' };
}

/** Without `rev`: counting must not disturb the acquirer, which goes on with the schedule at the same time. */
function countSkipped(name: string, fence: SkipFence): Write {
  const key = scheduleKey(name);
  if (fence.schedule === 'gone') return { op: 'check', table: 'control', key, condition: noRow('pk') };
  const there: Condition = { test: 'present', attribute: 'rev' };
  const paused: Condition[] = fence.schedule === 'paused' ? [{ test: 'equals', attribute: 'pausedAt', value: fence.pausedAt }] : [];
  return { op: 'update', table: 'control', key, set: {}, add: { skipped: 1 }, condition: all(there, ...paused) };
}

function historyOf(job: LeasedJob, { now, historyDays }: CancelTerms): Write[] {
  if (historyDays === undefined) return [];
  const { payload: _payload, error: _error, ...kept } = withoutLease(job);
  const finished: FinishedJob = { ...kept, outcome: 'skipped', finishedAt: now };
  return [{ op: 'put', table: 'history', row: historyRow(finished, historyDays) }];
}
