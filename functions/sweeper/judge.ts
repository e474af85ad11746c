import { type CrashDecision, decideCrash } from '../../shared/core/decide.ts';
import { iso } from '../../shared/core/instant.ts';
import type { LeasedJob } from '../../shared/core/job.ts';
import { isQueueOwner, QUEUE_PREFIX, ranAlone } from '../../shared/core/lock-owner.ts';
import type { Condition } from '../../shared/ports/tables.ts';
import { all, any } from '../../shared/store/conditions.ts';

/** A ready job is looked at from this age on, so that the oldest can be told even while its lease still runs. */
export const OVERDUE_MS = 60_000;

/** Rows worth fetching: leases that ran out, ready jobs that wait long, and rows without a lease that can be read. */
export function sweepFilter(now: number, skewMs: number): Condition {
  return any(
    { test: 'atMost', attribute: 'lockExpiresAt', value: iso(now - skewMs) },
    all(
      { test: 'beginsWith', attribute: 'lockOwner', value: QUEUE_PREFIX },
      { test: 'atMost', attribute: 'dueAt', value: iso(now - OVERDUE_MS) },
    ),
    ...noText('lockOwner'),
    ...noText('lockExpiresAt'),
  );
}

/** No number in DynamoDB is larger. */
const LARGEST_NUMBER = 9.99e125;

/** Absent, or of another kind: no comparison with a text would ever find such a row. */
function noText(attribute: string): readonly Condition[] {
  return [
    { test: 'absent', attribute },
    { test: 'atMost', attribute, value: LARGEST_NUMBER },
    { test: 'equals', attribute, value: true },
    { test: 'equals', attribute, value: false },
  ];
}

/** What is to be done with a row: its lease lives, nobody received its hint, or its executor died. */
export type Judgement =
  | { readonly verb: 'leave' }
  | { readonly verb: 'redispatch' }
  | { readonly verb: 'crashed'; readonly decision: CrashDecision };

/** The sweeper's one rule: a lease that ran out goes back to the queue. Pure. */
export function judge(job: LeasedJob, terms: { readonly crashLimit: number; readonly skewMs: number }, now: number): Judgement {
  if (job.lockExpiresAt > now - terms.skewMs) return { verb: 'leave' };
  if (isQueueOwner(job.lockOwner)) return { verb: 'redispatch' };
  return { verb: 'crashed', decision: decideCrash(job, ranAlone(job.lockOwner), terms.crashLimit, now) };
}
