import type { JobId } from '../../core/job-id.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../change-job.ts';
import type { MatchedRow } from '../jobs/matching-rows.ts';
import { type BulkAction, verbNamed } from '../verbs.ts';
import { type Meant, matchesSelection } from './matches-selection.ts';

/**
 * Does to one job what a bulk action asks for, by the verb for one job, if it is still meant; `met` is the row that matched. Answers with
 * the outcome of that verb. Throws NotMeantError.
 */
export type ActOnJob = (id: JobId, met?: MatchedRow) => Promise<string>;

/** Whether an outcome counts as done; any other says why the job was left alone. */
export const isDone = (verb: BulkAction['verb'], outcome: string): boolean => verbNamed(verb).done.includes(outcome);

/** Whether an outcome of a job in doubt says that it was acted on before. */
export const hasHappened = (verb: BulkAction['verb'], outcome: string): boolean => verbNamed(verb).repeated.includes(outcome);

/** The verb for one job, without an audit entry for each: the bulk action has its own. */
export function actOnJob(given: AdminDeps, action: BulkAction, told: Required<AuditContext>, meant: Meant): ActOnJob {
  const verb = verbNamed(action.verb);
  return async (id, met) => {
    const deps: AdminDeps = { ...given, unaudited: true, tables: matchesSelection(given.tables, meant, id, met) };
    if (verb.actInBulk !== undefined) return verb.actInBulk(deps, id, action, told);
    return verb.act(verb.methods(deps), id, action, told);
  };
}
