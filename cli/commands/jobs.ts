import { actionVerbs } from '../jobs/action-verb.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew jobs`: jobs in every state. */
export const jobsCommand = verbCommand('jobs', 'list, show, count and change jobs in every state, by id or by filter', [
  listVerb(),
  showVerb(),
  countVerb(),
  ...actionVerbs('jobs'),
  editVerb(),
]);
