import { actionVerb } from '../jobs/action-verb.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { groupVerb, groupsVerb } from '../jobs/error-group-verbs.ts';
import { JOB_ACTIONS } from '../jobs/job-actions.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew dead-letters`: jobs that are not tried again until somebody says so, and their error groups. */
export const deadLettersCommand = verbCommand('dead-letters', 'jobs that are not tried again until somebody says so, grouped by error', [
  listVerb('dead'),
  groupsVerb,
  groupVerb,
  showVerb(),
  countVerb('dead'),
  actionVerb(JOB_ACTIONS.redrive, 'dead'),
  actionVerb(JOB_ACTIONS.delete, 'dead'),
  actionVerb(JOB_ACTIONS.setRetries, 'dead'),
  editVerb(true),
]);
