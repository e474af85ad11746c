import type { LeasedJob } from '../../../job/job.ts';
import type { Condition, Tables, Write } from '../../../ports/tables.ts';
import type { CancelTerms } from '../../../store/cancel.ts';
import { all, noRow } from '../../../store/conditions.ts';
import { endUnstarted } from '../../../store/end-unstarted.ts';
import { scheduleKey } from './schedule-rows.ts';

/** What must still hold of the schedule for its occurrence to be skipped. */
export type SkipFence =
  | { readonly schedule: 'there' }
  /** It is there too; counted as missed. */
  | { readonly schedule: 'missed' }
  /** The attribute `pausedAt` as it was read: if the schedule has been resumed since, its occurrence runs. */
  | { readonly schedule: 'paused'; readonly pausedAt: string }
  | { readonly schedule: 'gone' };

/**
 * Ends an occurrence that is not to start, with the outcome `skipped`, and counts it in its schedule. Throws StoreUnavailableError when the
 * schedule is not as it was seen: the job goes back and is looked at again.
 */
export function endAsSkipped(tables: Tables, job: LeasedJob, fence: SkipFence, terms: CancelTerms): ReturnType<typeof endUnstarted> {
  return endUnstarted(tables, job, { outcome: 'skipped', more: [countSkipped(job.schedule ?? '', fence)] }, terms);
}

/** Without `rev`: counting must not conflict with the acquirer, which updates the schedule at the same time. */
function countSkipped(name: string, fence: SkipFence): Write {
  const key = scheduleKey(name);
  if (fence.schedule === 'gone') return { op: 'check', table: 'control', key, condition: noRow('pk') };
  const there: Condition = { test: 'present', attribute: 'rev' };
  const paused: Condition[] = fence.schedule === 'paused' ? [{ test: 'equals', attribute: 'pausedAt', value: fence.pausedAt }] : [];
  const add = fence.schedule === 'missed' ? { missed: 1 } : { skipped: 1 };
  return { op: 'update', table: 'control', key, set: {}, add, condition: all(there, ...paused) };
}
