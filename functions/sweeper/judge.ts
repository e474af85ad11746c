import { type CrashDecision, decideCrash } from '../../shared/job/decide.ts';
import { iso } from '../../shared/job/instant.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { isQueueOwner, ranAlone } from '../../shared/job/lock-owner.ts';
import type { Condition } from '../../shared/ports/tables.ts';
import { all, any, notRunning } from '../../shared/store/conditions.ts';

/** Ready jobs are fetched from this age on, so that the oldest one is reported even while its lease is still valid. */
export const OVERDUE_MS = 60_000;

/** Rows to fetch: expired leases, ready jobs that have waited long or are of one of the `types`, and rows without a readable lease. */
export function sweepFilter(now: number, skewMs: number, types: readonly string[] = []): Condition {
  return any(
    { test: 'atMost', attribute: 'lockExpiresAt', value: iso(now - skewMs) },
    all(notRunning, { test: 'atMost', attribute: 'dueAt', value: iso(now - OVERDUE_MS) }),
    ...noText('lockOwner'),
    ...noText('lockExpiresAt'),
    ...(types.length === 0 ? [] : [all(notRunning, any(...types.map((type) => isOfType(type))))]),
  );
}

const isOfType = (type: string): Condition => ({ test: 'equals', attribute: 'type', value: type });

/** Fetched only to be counted: a ready job whose lease is valid, and that is not overdue. */
export const isOnlyCounted = (job: LeasedJob, skewMs: number, now: number): boolean =>
  isQueueOwner(job.lockOwner) && job.lockExpiresAt > now - skewMs && job.dueAt > now - OVERDUE_MS;

/** No number in DynamoDB is larger. */
const LARGEST_NUMBER = 9.99e125;

/** Absent or of another type: no comparison with a text would find such a row. */
function noText(attribute: string): readonly Condition[] {
  return [
    { test: 'absent', attribute },
    { test: 'atMost', attribute, value: LARGEST_NUMBER },
    { test: 'equals', attribute, value: true },
    { test: 'equals', attribute, value: false },
  ];
}

/** What to do with a row: its lease is valid, its hint was not received, or its executor died. */
export type Judgement =
  | { readonly verb: 'leave' }
  | { readonly verb: 'redispatch' }
  | { readonly verb: 'crashed'; readonly decision: CrashDecision };

/** The sweeper's one rule: a job whose lease expired goes back to the queue. Pure. */
export function judge(job: LeasedJob, terms: { readonly crashLimit: number; readonly skewMs: number }, now: number): Judgement {
  if (job.lockExpiresAt > now - terms.skewMs) return { verb: 'leave' };
  if (isQueueOwner(job.lockOwner)) return { verb: 'redispatch' };
  return { verb: 'crashed', decision: decideCrash(job, ranAlone(job.lockOwner), terms.crashLimit, now) };
}
