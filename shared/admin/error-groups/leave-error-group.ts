import type { DeadLetter } from '../../core/job.ts';
import type { LeftAs } from '../../core/error-group.ts';
import { leaveGroup } from '../../store/error-groups.ts';
import { settleGroup } from '../../store/settle-error-group.ts';
import type { AdminParts } from '../admin.ts';

/** What an action on many jobs took from one group and has not told it yet; `gone` are the last of their ids. */
interface Leaving {
  redriven: number;
  deleted: number;
  readonly gone: Set<string>;
}

/** Counts of an action on many jobs, by fingerprint, until `tellLeftGroups` writes them. */
export type LeftGroups = Map<string, Leaving>;

/** So many ids are remembered that an index may still show. */
const REMEMBERED = 5_000;

/**
 * Tells the error group of a dead letter that it left, after the write that took it away. With `parts.leftGroups` it is only
 * counted, for `tellLeftGroups` to write. Never throws: what the store does not take is journalled.
 */
export async function leaveErrorGroup(
  parts: AdminParts,
  dead: Pick<DeadLetter, 'fingerprint'> & { readonly id: string },
  as: LeftAs,
): Promise<void> {
  const { leftGroups = new Map() as LeftGroups } = parts;
  const leaving = leftGroups.get(dead.fingerprint) ?? { redriven: 0, deleted: 0, gone: new Set() };
  leftGroups.set(dead.fingerprint, leaving);
  leaving[as] += 1;
  leaving.gone.add(dead.id);
  if (leaving.gone.size > REMEMBERED) leaving.gone.delete(leaving.gone.values().next().value ?? '');
  if (parts.leftGroups === undefined) await tellLeftGroups({ ...parts, leftGroups });
}

/** Writes what was counted, one write for each group and way out: at the end of each page of a bulk action, and at its end. */
export async function tellLeftGroups(parts: AdminParts): Promise<void> {
  for (const [fingerprint, leaving] of parts.leftGroups ?? []) {
    for (const as of ['redriven', 'deleted'] as const) {
      const count = leaving[as];
      if (count === 0) continue;
      leaving[as] = 0;
      const row = await leaveGroup(parts, fingerprint, as, count);
      if (row !== undefined) await settleGroup(parts, row, leaving.gone);
    }
  }
}
