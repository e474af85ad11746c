import { actionVerbs } from '../jobs/action-verb.ts';
import { countVerb, listVerb } from '../jobs/read-jobs.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { showByKeyVerb } from '../jobs/show-job.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew jobs`: jobs in every state. */
export const jobsCommand = verbCommand('jobs', 'list, show, count and change jobs in every state, by id or by filter', [
  listVerb(),
  showByKeyVerb(),
  countVerb(),
  ...actionVerbs('jobs'),
  editVerb(),
]);
