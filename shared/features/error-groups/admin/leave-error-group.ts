import { groupSum, isQuiet, type LeftAs } from '../model/error-group.ts';
import type { DeadLetter } from '../../../job/job.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import { decodeErrorGroup } from '../store/error-group-rows.ts';
import { leaveGroup } from '../store/error-groups.ts';
import { settleGroup } from '../store/settle-error-group.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import type { Leaving, LeftGroupDeps, LeftGroups } from './left-groups.ts';

/** How many removed ids are remembered, because the index may still show them. */
const REMEMBERED = 5_000;
const PARALLEL = 8;
/** Groups with at most this many open dead letters are recounted in the index at the end of an action. */
const FEW = 5;
/** How many groups an action recounts itself; the sweeper does the rest. */
const MAX_SETTLED = 20;

/**
 * Updates the error group of a removed dead letter, after the write that removed it. With `deps.leftGroups` it is only
 * counted, for `tellLeftGroups` to write. Never throws: what the store does not take is journalled.
 */
export async function leaveErrorGroup(
  deps: OperatorDeps & LeftGroupDeps,
  dead: Pick<DeadLetter, 'fingerprint'> & { readonly id: string },
  as: LeftAs,
): Promise<void> {
  const { leftGroups = new Map() as LeftGroups } = deps;
  const leaving = leftGroups.get(dead.fingerprint) ?? { redriven: 0, deleted: 0, gone: new Set() };
  leftGroups.set(dead.fingerprint, leaving);
  leaving[as] += 1;
  leaving.gone.add(dead.id);
  if (leaving.gone.size > REMEMBERED) leaving.gone.delete(leaving.gone.values().next().value ?? '');
  if (deps.leftGroups !== undefined) return;
  await tellLeftGroups({ ...deps, leftGroups });
  // A group that seems to close is recounted, unless it had no deaths since its last count.
  if (leaving.row !== undefined && groupSum(decodeErrorGroup(leaving.row)) <= 0) await settleLeft(deps, leaving);
}

/** Writes what was counted, one write for each group: at the end of each step of a bulk action. What the store refuses is kept for the next time. */
export async function tellLeftGroups(deps: OperatorDeps & LeftGroupDeps): Promise<void> {
  await mapLimited([...(deps.leftGroups ?? [])], PARALLEL, async ([fingerprint, leaving]) => {
    const { redriven, deleted } = leaving;
    if (redriven + deleted === 0) return;
    leaving.redriven -= redriven;
    leaving.deleted -= deleted;
    const { refused, row } = await leaveGroup(deps, fingerprint, { redriven, deleted });
    if (row !== undefined) leaving.row = row;
    if (!refused) return;
    leaving.redriven += redriven;
    leaving.deleted += deleted;
  });
}

/** At the end of an action: writes the pending updates, and recounts the groups that seem to be nearly or completely empty. */
export async function settleLeftGroups(deps: OperatorDeps & LeftGroupDeps): Promise<void> {
  await tellLeftGroups(deps);
  const few = [...(deps.leftGroups?.values() ?? [])].filter(({ row }) => row !== undefined && groupSum(decodeErrorGroup(row)) <= FEW);
  await mapLimited(few.slice(0, MAX_SETTLED), PARALLEL, async (leaving) => settleLeft(deps, leaving));
}

async function settleLeft(deps: OperatorDeps, { row, gone }: Leaving): Promise<void> {
  if (row === undefined) return;
  const group = decodeErrorGroup(row);
  const known = (group.settledAt ?? 0) >= group.lastSeen && groupSum(group) >= 0;
  if (!known && isQuiet(group, deps.clock.now())) await settleGroup(deps, row, gone);
}
