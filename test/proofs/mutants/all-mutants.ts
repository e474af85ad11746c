import { BACKLOG_MUTANTS } from './list/backlogs.ts';
import { BATCH_MUTANTS } from './list/batches.ts';
import { CANCEL_MUTANTS } from './list/cancels.ts';
import { CLAIM_MUTANTS } from './list/claims.ts';
import { COUNTER_MUTANTS } from './list/counters.ts';
import { EDIT_MUTANTS } from './list/edits.ts';
import { FENCE_MUTANTS } from './list/fences.ts';
import { GROUP_MUTANTS } from './list/groups.ts';
import { HAND_BURIAL_MUTANTS } from './list/hand-burials.ts';
import { HINT_MUTANTS } from './list/hints.ts';
import { KEPT_DATA_MUTANTS } from './list/kept-data.ts';
import { LANE_MUTANTS } from './list/lanes.ts';
import { LIMIT_MUTANTS } from './list/limits.ts';
import { LOST_REPLY_MUTANTS } from './list/lost-replies.ts';
import { MACHINE_MUTANTS } from './list/machines.ts';
import { OUTSIDE_MUTANTS } from './list/outside.ts';
import { RULE_MUTANTS } from './list/rules.ts';
import { SCHEDULE_MUTANTS } from './list/schedules.ts';
import { SPLIT_MUTANTS } from './list/splits.ts';
import { TIME_MUTANTS } from './list/time.ts';
import { UPKEEP_MUTANTS } from './list/upkeep.ts';
import { WIDE_MUTANTS } from './list/wide.ts';
import { WIRE_MUTANTS } from './list/wire.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant that must be caught. */
export const MUTANTS: readonly Mutant[] = [
  ...FENCE_MUTANTS,
  ...LOST_REPLY_MUTANTS,
  ...SPLIT_MUTANTS,
  ...HINT_MUTANTS,
  ...LANE_MUTANTS,
  ...RULE_MUTANTS,
  ...TIME_MUTANTS,
  ...COUNTER_MUTANTS,
  ...LIMIT_MUTANTS,
  ...GROUP_MUTANTS,
  ...UPKEEP_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...CANCEL_MUTANTS,
  ...CLAIM_MUTANTS,
  ...BATCH_MUTANTS,
  ...BACKLOG_MUTANTS,
  ...EDIT_MUTANTS,
  ...HAND_BURIAL_MUTANTS,
  ...KEPT_DATA_MUTANTS,
  ...OUTSIDE_MUTANTS,
  ...WIDE_MUTANTS,
  ...MACHINE_MUTANTS,
  ...WIRE_MUTANTS,
];

/** A mutant by its name; throws an Error that lists the names. */
export function mutantNamed(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (mutant !== undefined) return mutant;
  throw new Error(`There is no mutant ${name}. There are: ${MUTANTS.map((one) => one.name).join(', ')}.`);
}
