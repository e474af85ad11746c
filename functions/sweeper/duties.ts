import { activateHeld } from './duties/activate-held.ts';
import { clearDeadLocks } from './duties/clear-dead-locks.ts';
import { repairSchedules } from './duties/repair-schedules.ts';
import { settleBatches } from './duties/settle-batches.ts';
import { settleGroups } from './duties/settle-groups.ts';
import type { SweeperDeps } from './deps.ts';

/** Something that the sweeper does in each run besides its scan of Jobs. */
export interface Duty {
  /** Journalled as the reason when the store refused it. */
  readonly name: string;
  /** Begins nothing new after `stopAt`, in epoch milliseconds. Returns how many rows it changed or looked at. */
  readonly run: (deps: SweeperDeps, stopAt: number) => Promise<number>;
}

/** In order: what lets jobs go comes first. One that fails does not keep the next from running. */
export const DUTIES: readonly Duty[] = [
  { name: 'held-causes', run: activateHeld },
  { name: 'schedules', run: repairSchedules },
  { name: 'batches', run: settleBatches },
  { name: 'error-groups', run: settleGroups },
  { name: 'dead-locks', run: clearDeadLocks },
];
