import { NightcrewError } from '../../shared/job/errors.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import type { JobState } from '../../shared/job/job.ts';
import { locate } from '../../shared/store/locate.ts';
import type { AdminDeps } from '../admin-deps.ts';
import type { AuditContext } from '../../shared/operator/act.ts';
import type { CheckedFilter } from '../jobs/check-filter.ts';
import type { MatchedRow } from '../jobs/matching-rows.ts';
import { type BulkAction, verbNamed } from '../verbs.ts';
import type { BulkSample } from './bulk-verbs.ts';
import { quotedPaths } from './quoted-paths.ts';
import { type Meant, matchesSelection, NotMeantError } from './matches-selection.ts';

/**
 * Applies a bulk action to one job with the one-job verb, if the job still matches; `met` is the row that matched. Returns
 * the outcome of that verb. Throws NotMeantError.
 */
export type ActOnJob = (id: JobId, met?: MatchedRow) => Promise<string>;

/** Whether an outcome counts as done; any other is the reason why the job was left alone. */
export const isDone = (verb: BulkAction['verb'], outcome: string): boolean => verbNamed(verb).done.includes(outcome);

/** Whether the outcome shows that a job in doubt was acted on before; `states` are those that the filter means. */
export const hasHappened = (action: BulkAction, states: readonly JobState[], outcome: string): boolean =>
  verbNamed(action.verb).repeated(action, states).includes(outcome);

/** Which jobs a bulk action means. */
export const meantBy = ({ verb }: BulkAction, filter: CheckedFilter, begun: number): Meant => ({
  filter,
  since: verbNamed(verb).since,
  begun,
});

/** The verb for one job, without an audit entry for each: the bulk action has its own. */
export function actOnJob(given: AdminDeps, action: BulkAction, context: Required<AuditContext>, meant: Meant): ActOnJob {
  const verb = verbNamed(action.verb);
  return async (id, met) => {
    const deps: AdminDeps = { ...given, unaudited: true, tables: matchesSelection(given.tables, meant, id, met) };
    if (verb.actInBulk !== undefined) return verb.actInBulk(deps, id, action, context);
    return verb.act(verb.methods(deps), id, action, context);
  };
}

/** What an action would do to one job, if its verb can show that and the job still matches. */
export async function previewOf(given: AdminDeps, action: BulkAction, meant: Meant, id: JobId): Promise<BulkSample | undefined> {
  const verb = verbNamed(action.verb);
  if (verb.preview === undefined) return undefined;
  const deps: AdminDeps = { ...given, tables: matchesSelection(given.tables, meant, id) };
  try {
    const found = await locate(deps.tables, id);
    return found && { id, ...(await verb.preview(deps, found, action)) };
  } catch (error) {
    if (error instanceof NotMeantError) return undefined;
    if (error instanceof NightcrewError) return { id, problem: error.message, ...quotedPaths(error) };
    throw error;
  }
}
