import { defined } from '../job/defined.ts';
import type { Job, LeasedJob } from '../job/job.ts';
import type { Tables } from '../ports/tables.ts';
import { all, heldBy, revIs } from './conditions.ts';
import { movedRow } from './control-rows.ts';
import { unstarted, withoutLease } from './job-codec.ts';
import { isUnstarted, type RunAgain } from './run-again.ts';
import { idKey, timerRow } from './rows.ts';
import { type CancelAsked, type Lost, transactWhileLeased } from './transact-while-leased.ts';

/** Retry and snooze beyond the delay horizon: the job waits in Timers, and a pointer says where. One transaction. */
export async function runAgainLater(
  tables: Tables,
  job: LeasedJob,
  change: RunAgain & { readonly dueAt: number },
): Promise<{ readonly result: 'waiting' } | Lost | CancelAsked> {
  return transactWhileLeased(tables, job, (current) => {
    const { error = current.error, dueAt, counts, set, remove = [], sameAttempt } = change;
    const before = isUnstarted(change) ? unstarted(current) : withoutLease(current);
    const kept = Object.fromEntries(Object.entries(before).filter(([name]) => !remove.includes(name))) as unknown as Job;
    const timer: Job = {
      ...kept,
      ...set,
      ...defined({ error }),
      dueAt,
      rev: current.rev + 1,
      ...(counts === undefined ? {} : { [counts]: (current[counts] ?? 0) + 1 }),
      ...(sameAttempt === true ? { starts: current.starts - 1 } : {}),
    };
    return {
      writes: {
        job: { op: 'delete', table: 'jobs', key: idKey(job.id), condition: all(heldBy(job.lockOwner), revIs(current.rev)) },
        timer: { op: 'put', table: 'timers', row: timerRow(timer) },
        pointer: { op: 'put', table: 'control', row: movedRow(job.id, dueAt) },
      },
      result: { result: 'waiting' } as const,
    };
  });
}
