import type { ScheduleDefinition } from '../../../shared/features/schedules/model/definition.ts';
import type { SimProcess } from '../simulation/world/sim-process.ts';
import { GUARDED, type TypeName } from '../simulation/workload/work-item-jobs.ts';
import type { ScriptedWorld } from '../exhaustive/scripted-world.ts';
import type { Situation } from './situation.ts';

/** What actors find: a world, and the job in it that they all mean. */
export interface Scene {
  readonly stage: ScriptedWorld;
  readonly situation: Situation;
  readonly id: string;
  readonly type: TypeName;
  readonly batch?: string;
  readonly schedule?: ScheduleDefinition;
  /** A job whose completion cancels the one that all mean. */
  readonly guardian?: string;
  /** Sandboxes that stand still with jobs that they run, until the two actors have ended. */
  readonly frozen: readonly SimProcess[];
}

/** The names that every scene has. */
export const NAMES = { key: `${GUARDED}key-1`, group: 'g', tenant: 'acme', schedule: 'recurring', limitKey: 'k' } as const;
