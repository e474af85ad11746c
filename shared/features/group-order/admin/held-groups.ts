import { storedInstant } from '../../../job/instant.ts';
import type { JobState } from '../../../job/job.ts';
import { mapLimited } from '../../../job/map-limited.ts';
import type { Tables } from '../../../ports/tables.ts';
import { limitPartition, PARKED_LISTING } from '../../../store/parked-rows.ts';
import { groupOfWaiting, waitingHash } from '../../../store/group-places.ts';
import { type Holding, holding } from '../store/turn.ts';

/** A group with `onFailure: 'block'` whose jobs wait until another one has ended. */
export interface HeldGroup {
  readonly group: string;
  /** The job that holds it back. Its state is `dead` for a dead letter, `waiting` or `ready` for one that is tried again. */
  readonly heldBy: HeldBy;
  /** When that job started for the first time. Absent for one that has not, but is before the others. */
  readonly since?: Date;
  /** Jobs that wait behind it; more, if `exact` is false. */
  readonly waiting: number;
  readonly exact: boolean;
}

/** The job that holds a group back; only its id is known of one whose row cannot be read. */
export interface HeldBy {
  readonly id: string;
  readonly type?: string;
  readonly worker?: string;
  readonly state?: JobState;
  readonly failures?: number;
}

const MAX_GROUPS = 1_000;
const PARALLEL = 8;
/** Jobs that wait are read whole to be counted. */
const COUNTED = 100;

/** The groups that a job holds back while others wait: one query, and up to fourteen reads for each. */
export async function heldGroups(tables: Tables): Promise<{ readonly held: readonly HeldGroup[]; readonly complete: boolean }> {
  const from = waitingHash('');
  const listing = { table: 'control', partition: PARKED_LISTING, from, through: `${from}~`, limit: MAX_GROUPS } as const;
  const { rows, cursor } = await tables.query(listing);
  const found = await mapLimited(rows, PARALLEL, async ({ sk, limit }) => {
    const hash = groupOfWaiting(String(sk)) ?? '';
    const parked = await tables.query({ table: 'timers', partition: limitPartition(String(sk)), limit: COUNTED });
    const first = parked.rows.length === 0 ? undefined : await holding(tables, hash);
    return first && { group: String(limit), ...heldOf(first), waiting: parked.rows.length, exact: parked.cursor === undefined };
  });
  return { held: found.filter((one) => one !== undefined).toSorted((a, b) => b.waiting - a.waiting), complete: cursor === undefined };
}

function heldOf({ holder, located }: Holding): Pick<HeldGroup, 'heldBy' | 'since'> {
  const since = holder.since === undefined ? undefined : storedInstant(holder.since);
  const began = since === undefined ? {} : { since: new Date(since) };
  if (located === undefined) return { heldBy: { id: holder.id }, ...began };
  const { id, type, worker, failures } = located.job;
  return { heldBy: { id, type, worker, state: located.state, failures }, ...began };
}
