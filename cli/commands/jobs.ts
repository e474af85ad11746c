import { JOB_ACTIONS } from '../jobs/job-actions.ts';
import { actionVerb } from '../jobs/action-verb.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew jobs`: jobs in every state. */
export const jobsCommand = verbCommand('jobs', 'list, show, count and change jobs in every state, by id or by filter', [
  listVerb(),
  showVerb(),
  countVerb(),
  actionVerb(JOB_ACTIONS.cancel),
  actionVerb(JOB_ACTIONS.runNow),
  actionVerb(JOB_ACTIONS.setPriority),
  actionVerb(JOB_ACTIONS.setDueDate),
  actionVerb(JOB_ACTIONS.setRetries),
  actionVerb(JOB_ACTIONS.suspend),
  actionVerb(JOB_ACTIONS.activate),
  actionVerb(JOB_ACTIONS.changeTenant),
  editVerb(),
]);
