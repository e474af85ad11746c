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

/** However many jobs one run may resume, the other duties have as much time. */
const halfway = ({ clock }: SweeperDeps, stopAt: number): number => (clock.now() + stopAt) / 2;

/** In order: duties that resume jobs come first. If one fails, the next ones still run. */
export const DUTIES: readonly Duty[] = [
  { name: 'held-causes', run: async (deps, stopAt) => resumeSuspended(deps, halfway(deps, stopAt)) },
  { name: 'schedules', run: repairSchedules },
  { name: 'batches', run: settleBatches },
  { name: 'error-groups', run: settleErrorGroups },
  { name: 'dead-locks', run: clearDeadLocks },
  // After `dead-locks`, which reads the retention rules: their rows share a partition with the locks.
  { name: 'retention', run: removeOldDeadLetters },
];
