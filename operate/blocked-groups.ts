import type { Deployment } from '../shared/config/environment.ts';
import { defined } from '../shared/job/defined.ts';
import { groupHash, lockGroup } from '../shared/job/hint.ts';
import { storedInstant } from '../shared/job/instant.ts';
import type { LeasedJob } from '../shared/job/job.ts';
import { isQueueOwner } from '../shared/job/lock-owner.ts';
import { mapLimited } from '../shared/job/map-limited.ts';
import { InvalidInputError } from '../shared/job/errors.ts';
import { checkOptions } from '../shared/job/names.ts';
import type { Clock } from '../shared/ports/clock.ts';
import { type HeldGroup, heldGroups } from '../shared/features/group-order/admin/held-groups.ts';
import type { Row, RowKey, Tables } from '../shared/ports/tables.ts';
import { groupLockKey } from '../shared/store/control-rows.ts';
import { decodeLeasedJob } from '../shared/store/job-codec.ts';

/** A job as this list names it. */
export interface GroupJob {
  readonly id: string;
  readonly type: string;
  readonly worker: string;
  readonly attempt: number;
}

/** An exclusive group whose lock is held while jobs of it are due. */
export interface BlockedGroup {
  readonly group: string;
  /** When its lock was taken, or last renewed by a worker outside Lambda. */
  readonly since: Date;
  /** When the lock ends by itself, if its holder died. */
  readonly until: Date;
  /** The running job. Absent between two jobs of a delivery batch, and while the lock outlasts a job whose handler may still run. */
  readonly heldBy?: GroupJob;
  /** Jobs that are due and wait, as far as the scan saw them. */
  readonly waiting: number;
  readonly oldestDueAt: Date;
}

/** What `blockedGroups` found. `complete`: the whole table was looked at; otherwise more may wait, and more groups may be blocked. */
export interface BlockedGroups {
  /** Most waiting first. */
  readonly groups: readonly BlockedGroup[];
  readonly complete: boolean;
  readonly readUnits: number;
  /** Groups with `onFailure: 'block'` whose jobs are parked until another one has ended, most waiting first. Absent when there is none. */
  readonly held?: readonly HeldGroup[];
  /**
   * Workers of grouped jobs that have no FIFO queue (`groups: true` of the construct): a job of theirs that finds its group held comes back
   * only when the holder's lease ends. Absent when there is none.
   */
  readonly withoutGroupQueue?: readonly string[];
}

/** The most that a read may cost. */
export interface BlockedGroupsOptions {
  /** Read units at which the scan of Jobs ends. Default 2,500: 20 MB of rows. */
  readonly maxReadUnits?: number;
}

interface Seen {
  waiting: number;
  oldestDueAt: number;
  running?: LeasedJob;
}

const PAGE = 1_000;
const DEFAULT_READ_UNITS = 2_500;
const PARALLEL_LOOKS = 8;

/**
 * Which groups are held while others of them wait. Reads Jobs, eventually consistent and bounded, one lock for each group that waits, and the
 * groups that a failure holds back.
 */
export async function blockedGroups(
  { tables, clock, deployment }: { readonly tables: Tables; readonly clock: Clock; readonly deployment: Pick<Deployment, 'workers'> },
  options: BlockedGroupsOptions = {},
): Promise<BlockedGroups> {
  checkOptions(options, ['maxReadUnits'], 'options');
  const { maxReadUnits = DEFAULT_READ_UNITS } = options;
  if (!(Number.isFinite(maxReadUnits) && maxReadUnits > 0)) {
    throw new InvalidInputError('maxReadUnits', maxReadUnits, 'Use a number of read units, more than 0.');
  }
  const now = clock.now();
  const seen = new Map<string, Seen>();
  const workers = new Set<string>();
  let readUnits = 0;
  let after: RowKey | undefined;
  do {
    const page = await tables.scan({
      table: 'jobs',
      segment: 0,
      segments: 1,
      limit: PAGE,
      filter: { test: 'present', attribute: 'group' },
      ...defined({ after }),
    });
    readUnits += page.readUnits;
    for (const job of page.rows.flatMap(readable)) {
      const group = lockGroup(job);
      if (group === undefined) continue;
      count(seen, group, job, now);
      if (deployment.workers.get(job.worker)?.fifo === undefined) workers.add(job.worker);
    }
    after = page.cursor;
  } while (after !== undefined && readUnits < maxReadUnits);
  const held = await heldGroups(tables);
  const waiting = [...seen].filter(([, { waiting: jobs }]) => jobs > 0);
  const found = await mapLimited(waiting, PARALLEL_LOOKS, async ([group, one]) => {
    const lock = await tables.get('control', groupLockKey(groupHash(group)));
    return blocked(group, one, { lock, now });
  });
  return {
    groups: found.filter((one) => one !== undefined).toSorted((a, b) => b.waiting - a.waiting),
    complete: after === undefined && held.complete,
    readUnits,
    ...(held.held.length === 0 ? {} : { held: held.held }),
    ...(workers.size === 0 ? {} : { withoutGroupQueue: [...workers].toSorted() }),
  };
}

function count(seen: Map<string, Seen>, group: string, job: LeasedJob, now: number): void {
  const one = seen.get(group) ?? { waiting: 0, oldestDueAt: Number.POSITIVE_INFINITY };
  seen.set(group, one);
  if (!isQueueOwner(job.lockOwner)) one.running = job;
  else if (job.dueAt <= now) {
    one.waiting++;
    one.oldestDueAt = Math.min(one.oldestDueAt, job.dueAt);
  }
}

/** None of a row that cannot be read, which is the sweeper's to set aside. */
function readable(row: Row): readonly LeasedJob[] {
  try {
    return [decodeLeasedJob(row)];
  } catch {
    return [];
  }
}

function blocked(
  group: string,
  seen: Seen,
  { lock, now }: { readonly lock: Row | undefined; readonly now: number },
): BlockedGroup | undefined {
  const until = storedInstant(lock?.['lockExpiresAt']);
  if (until === undefined || until <= now) return undefined;
  const { running } = seen;
  return {
    group,
    since: new Date(storedInstant(lock?.['takenAt']) ?? now),
    until: new Date(until),
    ...(running === undefined ? {} : { heldBy: { id: running.id, type: running.type, worker: running.worker, attempt: running.starts } }),
    waiting: seen.waiting,
    oldestDueAt: new Date(seen.oldestDueAt),
  };
}
