import type { JobId } from '../job/job-id.ts';
import type { Tables } from '../ports/tables.ts';
import { revIs } from './conditions.ts';
import { type Located, locate } from './locate.ts';
import { CHANGED, keptMoving, untilUnchanged } from './until-unchanged.ts';

/** What a change of the tries found; `set` wrote. A dead letter is left as it is: redrive it. */
export type TriesSet =
  | { readonly outcome: 'set'; readonly job: Exclude<Located, { state: 'finished' }>['job'] }
  | { readonly outcome: 'dead' | 'finished' | 'not-found' };

const MAX_LOOKS = 5;

/**
 * Gives a job `more` tries from now on, regardless of its policy, in any state: one update of the row that was read. A running
 * attempt that fails afterwards is judged by it, because the write that would bury the job demands an unchanged row. When the job
 * moves in between, it is located anew.
 */
export async function setRetries(tables: Tables, id: JobId, more: number): Promise<TriesSet> {
  let maybeWritten: number | undefined;
  const attempt = async (): Promise<TriesSet | typeof CHANGED> => {
    const found = await locate(tables, id);
    if (found === undefined) return { outcome: 'not-found' };
    if (found.state === 'dead' || found.state === 'finished') return { outcome: found.state };
    const { job, table, key } = found;
    if (maybeWritten !== undefined && job.triesLimit === maybeWritten) return { outcome: 'set', job };
    const triesLimit = job.failures + more;
    const condition = revIs(job.rev);
    const written = await tables.write({ op: 'update', table, key, set: { triesLimit }, add: { rev: 1 }, condition });
    if (written.applied) return { outcome: 'set', job: { ...job, triesLimit, rev: job.rev + 1 } };
    // After a lost reply the job that changed or moved may hold what this very request wrote.
    maybeWritten = written.attempts > 1 ? triesLimit : undefined;
    return CHANGED;
  };
  return untilUnchanged(MAX_LOOKS, attempt, keptMoving('setRetries'));
}
