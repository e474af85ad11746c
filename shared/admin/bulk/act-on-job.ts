import type { JobId } from '../../core/job-id.ts';
import type { AdminParts } from '../admin.ts';
import { cancelOne } from '../cancel-one.ts';
import type { Told } from '../change-job.ts';
import { editVerbs } from '../edit-verbs.ts';
import { jobVerbs } from '../job-verbs.ts';
import { redriveJob, setJobDueDate, setJobRetries } from '../retries.ts';
import type { BulkAction } from './bulk-verbs.ts';

/** Does to one job what a bulk action asks for, by the verb for one job. Answers with the outcome of that verb. */
export type ActOnJob = (id: JobId) => Promise<string>;

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

/** The verb for one job, without an audit entry for each: the bulk action has its own. */
export function actOnJob(given: AdminParts, action: BulkAction, told: Required<Told>): ActOnJob {
  const parts: AdminParts = { ...given, unaudited: true };
  const [verbs, edits] = [jobVerbs(parts), editVerbs(parts)];
  switch (action.verb) {
    case 'redrive': {
      const { verb: _verb, ...options } = action;
      return async (id) => redriveJob(parts, id, options);
    }
    case 'delete':
      return async (id) => edits.delete(id);
    case 'cancel':
      return async (id) => cancelOne(parts, id, { cancelReason: told.reason, cancelledBy: told.actor });
    case 'set-retries':
      return async (id) => setJobRetries(parts, id, action.retries);
    case 'set-due-date': {
      const { verb: _verb, ...when } = action;
      return async (id) => setJobDueDate(parts, id, when);
    }
    case 'set-priority':
      return async (id) => verbs.setPriority(id, action.priority);
    case 'run-now':
      return async (id) => verbs.runNow(id);
    case 'suspend':
      return async (id) => verbs.breakpoint(id, told);
    case 'activate':
      return async (id) => verbs.activateJob(id);
    case 'change-tenant':
      return async (id) => edits.changeTenant(id, action.tenant);
  }
}
