import { actionVerbs } from '../jobs/action-verb.ts';
import { countVerb, listVerb } from '../jobs/read-jobs.ts';
import { showVerb } from '../jobs/show-job.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew timers`: jobs that wait until they are due. One that is due within the delay horizon waits in its queue. */
export const timersCommand = verbCommand('timers', 'jobs that wait in Timers for their due time, soonest first', [
  listVerb('waiting'),
  showVerb(),
  countVerb('waiting'),
  ...actionVerbs('timers', 'waiting'),
]);
