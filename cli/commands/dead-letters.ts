import { actionVerbs } from '../jobs/action-verb.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { groupVerb, groupsVerb } from '../jobs/error-group-verbs.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew dead-letters`: jobs that are not tried again until somebody says so, and their error groups. */
export const deadLettersCommand = verbCommand('dead-letters', 'jobs that are not tried again until somebody says so, grouped by error', [
  listVerb('dead'),
  groupsVerb,
  groupVerb,
  showVerb(),
  countVerb('dead'),
  ...actionVerbs('dead-letters', 'dead'),
  editVerb(true),
]);
