import { allowLate, type Job, type LeasedJob, type SuspendedJob } from '../job/job.ts';
import type { Tables, Write } from '../ports/tables.ts';
import { leave, type LeftAlone, type PlannedChange } from './change-located.ts';
import { noRow, revIs } from './conditions.ts';
import { movedRow } from './control-rows.ts';
import { type ReadyTerms, readyRow } from './ready-row.ts';
import type { Located } from './locate.ts';
import { idKey, jobRow, timerRow } from './rows.ts';
import type { Lost } from './transact-while-leased.ts';
import { withoutSuspension } from './suspend.ts';
import { tryTransact } from './transact.ts';

/** When a job is resumed; one that is due beyond the delay horizon waits in Timers again. */
export interface ResumeTerms extends ReadyTerms {
  readonly delayHorizonMs: number;
}

/** The state of a resumed job: `ready` needs a hint. */
export type Resumed = { readonly result: 'ready'; readonly job: LeasedJob } | { readonly result: 'waiting'; readonly job: Job };

/** The writes that take a job out of Suspended, as `job`, which may differ from what was seen in what an operator asked for. */
export function resumeWrites(
  seen: SuspendedJob,
  terms: ResumeTerms,
  job: Job = withoutSuspension(seen),
): { readonly writes: Write[]; readonly went: Resumed } {
  const resumed = allowLate(job);
  const remove: Write = { op: 'delete', table: 'suspended', key: idKey(seen.id), condition: revIs(seen.rev) };
  if (resumed.dueAt > terms.now + terms.delayHorizonMs) {
    const timer: Job = { ...resumed, rev: resumed.rev + 1 };
    return {
      writes: [
        remove,
        { op: 'put', table: 'timers', row: timerRow(timer) },
        { op: 'put', table: 'control', row: movedRow(timer.id, timer.dueAt) },
      ],
      went: { result: 'waiting', job: timer },
    };
  }
  const ready = readyRow(resumed, terms);
  return {
    writes: [remove, { op: 'put', table: 'jobs', row: jobRow(ready), condition: noRow('id') }],
    went: { result: 'ready', job: ready },
  };
}

/** A suspended job is ready again, or waits for its time: one transaction on the row that was seen. Counters stay as they were. */
export async function resume(tables: Tables, seen: SuspendedJob, terms: ResumeTerms): Promise<Resumed | Lost> {
  const { writes, went } = resumeWrites(seen, terms);
  const outcome = await tryTransact(tables, `resume/${seen.id}/${seen.rev}/${terms.token}`, { writes });
  return outcome.applied ? went : { result: 'lost' };
}

/** Answer of a verb that makes a job ready; `job` is its new row, for the hint. */
export type MadeReady =
  | { readonly outcome: 'done'; readonly job: LeasedJob }
  | { readonly outcome: 'waiting-again' }
  | { readonly outcome: LeftAlone };

/** An operator resumes a suspended job unchanged; a suspension in force stops it again on receipt. */
export function planResume(found: Located, terms: ResumeTerms): PlannedChange<MadeReady> {
  if (found.state !== 'suspended') return leave(found.state);
  const { writes, went } = resumeWrites(found.job, terms);
  return { writes, answer: went.result === 'ready' ? { outcome: 'done', job: went.job } : { outcome: 'waiting-again' } };
}
