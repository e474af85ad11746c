import type { JobId } from '../../core/job-id.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { cancelOne } from '../cancel-one.ts';
import type { AuditContext } from '../change-job.ts';
import { editVerbs } from '../edit-verbs.ts';
import { jobVerbs } from '../job-verbs.ts';
import type { MatchedRow } from '../jobs/matching-rows.ts';
import { redriveJob, setJobDueDate, setJobRetries } from '../retries.ts';
import type { BulkAction } from './bulk-verbs.ts';
import { type Meant, matchesSelection } from './matches-selection.ts';

/**
 * Does to one job what a bulk action asks for, by the verb for one job, if it is still meant; `met` is the row that matched. Answers with
 * the outcome of that verb. Throws NotMeantError.
 */
export type ActOnJob = (id: JobId, met?: MatchedRow) => Promise<string>;

/** Outcomes that changed something, or found the job as it was asked for. `waiting`: it was let go, and is not due yet. */
const DONE: Readonly<Record<BulkAction['verb'], readonly string[]>> = {
  redrive: ['redriven'],
  delete: ['deleted'],
  cancel: ['cancelled', 'cancel-requested'],
  'set-retries': ['set', 'redriven'],
  'set-due-date': ['rescheduled', 'redriven'],
  'run-now': ['started'],
  'set-priority': ['set'],
  suspend: ['stopped'],
  activate: ['activated', 'waiting'],
  'change-tenant': ['changed'],
};

/** Whether an outcome counts as done; any other says why the job was left alone. */
export const isDone = (verb: BulkAction['verb'], outcome: string): boolean => DONE[verb].includes(outcome);

/**
 * Outcomes of a job that was acted on already, most likely: what the verb finds when it comes a second time. Only for jobs of a step whose
 * process died: what became of one may be anybody's work.
 */
const HAPPENED: Readonly<Record<BulkAction['verb'], readonly string[]>> = {
  redrive: ['not-found', 'waiting', 'parked', 'ready', 'running', 'suspended', 'finished', 'changed'],
  delete: ['not-found'],
  cancel: ['finished', 'not-found'],
  'set-retries': ['finished', 'not-found', 'dead', 'changed'],
  'set-due-date': ['running', 'finished', 'not-found', 'dead', 'changed'],
  'run-now': ['running', 'finished', 'not-found', 'dead', 'changed'],
  'set-priority': ['running', 'finished', 'not-found', 'dead', 'changed'],
  suspend: ['suspended'],
  activate: ['waiting', 'parked', 'ready', 'running', 'dead', 'finished', 'not-found', 'changed'],
  'change-tenant': ['running', 'finished', 'not-found', 'changed'],
};

/** Whether an outcome of a job in doubt says that it was acted on before. */
export const hasHappened = (verb: BulkAction['verb'], outcome: string): boolean => HAPPENED[verb].includes(outcome);

/** The verb for one job, without an audit entry for each: the bulk action has its own. */
export function actOnJob(given: AdminDeps, action: BulkAction, told: Required<AuditContext>, meant: Meant): ActOnJob {
  return async (id, met) => {
    const deps: AdminDeps = { ...given, unaudited: true, tables: matchesSelection(given.tables, meant, id, met) };
    const [verbs, edits] = [jobVerbs(deps), editVerbs(deps)];
    switch (action.verb) {
      case 'redrive': {
        const { verb: _verb, ...options } = action;
        return redriveJob(deps, id, options);
      }
      case 'delete':
        return edits.delete(id);
      case 'cancel':
        return cancelOne(deps, id, { cancelReason: told.reason, cancelledBy: told.actor });
      case 'set-retries':
        return setJobRetries(deps, id, action.retries);
      case 'set-due-date': {
        const { verb: _verb, ...when } = action;
        return setJobDueDate(deps, id, when);
      }
      case 'set-priority':
        return verbs.setPriority(id, action.priority);
      case 'run-now':
        return verbs.runNow(id);
      case 'suspend':
        return verbs.breakpoint(id, told);
      case 'activate':
        return verbs.activateJob(id);
      case 'change-tenant':
        return edits.changeTenant(id, action.tenant);
    }
  };
}
