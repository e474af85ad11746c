import { actionVerbs } from '../jobs/action-verb.ts';
import { countVerb, listVerb, showVerb } from '../jobs/read-jobs.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew timers`: jobs that are not due yet. */
export const timersCommand = verbCommand('timers', 'jobs that are not due yet, soonest first', [
  listVerb('waiting'),
  showVerb(),
  countVerb('waiting'),
  ...actionVerbs('timers', 'waiting'),
]);
