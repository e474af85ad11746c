import { actionVerbs } from '../jobs/action-verb.ts';
import { editVerb } from '../jobs/edit-verb.ts';
import { groupVerb, groupsVerb } from '../jobs/error-group-verbs.ts';
import { TRIAGE_VERBS } from '../jobs/triage-verbs.ts';
import { countVerb, listVerb } from '../jobs/read-jobs.ts';
import { showVerb } from '../jobs/show-job.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew dead-letters`: jobs that do not run again until an operator redrives them, and their error groups. */
export const deadLettersCommand = verbCommand('dead-letters', 'jobs that do not run again until you redrive them, and their error groups', [
  listVerb('dead'),
  groupsVerb,
  groupVerb,
  ...TRIAGE_VERBS,
  showVerb(),
  countVerb('dead'),
  ...actionVerbs('dead-letters', 'dead'),
  editVerb(true),
]);
