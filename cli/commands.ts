import type { Command } from './command.ts';
import { activateCommand, deactivateCommand } from './commands/activation.ts';
import { attemptsCommand } from './commands/attempts.ts';
import { auditCommand } from './commands/audit.ts';
import { batchesCommand } from './commands/batches.ts';
import { bulksCommand } from './commands/bulks.ts';
import { consoleCommand } from './commands/console.ts';
import { costCommand } from './commands/cost.ts';
import { deadLettersCommand } from './commands/dead-letters.ts';
import { devCommand } from './commands/dev.ts';
import { doctorCommand } from './commands/doctor.ts';
import { eraseCommand } from './commands/erase.ts';
import { eventsCommand } from './commands/events.ts';
import { explainCommand } from './commands/explain.ts';
import { externalCommand } from './commands/external.ts';
import { groupsCommand } from './commands/groups.ts';
import { jobsCommand } from './commands/jobs.ts';
import { prioritiesCommand } from './commands/priorities.ts';
import { reconcileCommand } from './commands/reconcile.ts';
import { limitsCommand } from './commands/limits.ts';
import { retentionCommand } from './commands/retention.ts';
import { schedulesCommand } from './commands/schedules.ts';
import { statsCommand } from './commands/stats.ts';
import { suspendedCommand } from './commands/suspended.ts';
import { suspensionsCommand } from './commands/suspensions.ts';
import { timersCommand } from './commands/timers.ts';
import { typesCommand } from './commands/type-list.ts';
import { workersCommand } from './commands/workers.ts';

/** Every command, in the order in which `nightcrew --help` lists them. */
export const COMMANDS: readonly Command[] = [
  explainCommand,
  jobsCommand,
  attemptsCommand,
  eventsCommand,
  deadLettersCommand,
  timersCommand,
  suspendedCommand,
  schedulesCommand,
  suspensionsCommand,
  prioritiesCommand,
  limitsCommand,
  retentionCommand,
  groupsCommand,
  batchesCommand,
  workersCommand,
  typesCommand,
  statsCommand,
  auditCommand,
  bulksCommand,
  doctorCommand,
  reconcileCommand,
  eraseCommand,
  activateCommand,
  deactivateCommand,
  consoleCommand,
  costCommand,
  devCommand,
  externalCommand,
];
