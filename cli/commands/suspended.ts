import { actionVerbs } from '../jobs/action-verb.ts';
import { countVerb, listVerb } from '../jobs/read-jobs.ts';
import { showVerb } from '../jobs/show-job.ts';
import { verbCommand } from '../verb-command.ts';

/** `nightcrew suspended`: jobs that a suspension, a missing handler or a breakpoint holds. */
export const suspendedCommand = verbCommand('suspended', 'jobs held by a suspension, a breakpoint, or workers that cannot run them', [
  listVerb('suspended'),
  showVerb(),
  countVerb('suspended'),
  ...actionVerbs('suspended', 'suspended'),
]);
