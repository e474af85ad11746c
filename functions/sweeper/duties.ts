import { resumeSuspended } from './duties/resume-suspended.ts';
import { clearDeadLocks } from './duties/clear-dead-locks.ts';
import { removeOldDeadLetters } from './duties/remove-old-dead-letters.ts';
import { repairSchedules } from './duties/repair-schedules.ts';
import { settleBatches } from './duties/settle-batches.ts';
import { settleErrorGroups } from './duties/settle-error-groups.ts';
import type { SweeperDeps, SweepNotes } from './deps.ts';

/** A task that the sweeper performs in each run, concurrently with its scan of Jobs. */
export interface Duty {
  /** Journalled as the reason if the duty fails. */
  readonly name: string;
  /** Starts nothing new after `stopAt`, in epoch milliseconds. Returns how many rows it changed or checked. */
  readonly run: (deps: SweeperDeps, stopAt: number, notes: SweepNotes) => Promise<number>;
}

/** In order: duties that resume jobs come first. If one fails, the next ones still run. */
export const DUTIES: readonly Duty[] = [
  { name: 'held-causes', run: resumeSuspended },
  { name: 'schedules', run: repairSchedules },
  { name: 'batches', run: settleBatches },
  { name: 'error-groups', run: settleErrorGroups },
  { name: 'dead-locks', run: clearDeadLocks },
  // After `dead-locks`, which reads the retention rules: their rows share a partition with the locks.
  { name: 'retention', run: removeOldDeadLetters },
];
