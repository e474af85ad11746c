import { actionVerb } from '../jobs/action-verb.ts';
import { JOB_ACTIONS } from '../jobs/job-actions.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew timers`: jobs that are not due yet. */
export const timersCommand = verbCommand('timers', 'jobs that are not due yet, soonest first', [
  listVerb('waiting'),
  showVerb(),
  countVerb('waiting'),
  actionVerb(JOB_ACTIONS.runNow, 'waiting'),
  actionVerb(JOB_ACTIONS.setDueDate, 'waiting'),
  actionVerb(JOB_ACTIONS.cancel, 'waiting'),
]);
