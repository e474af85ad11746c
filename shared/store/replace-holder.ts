import { defined } from '../job/defined.ts';
import { isOccurrence, type Job, type LeasedJob } from '../job/job.ts';
import { lockGroup } from '../job/hint.ts';
import type { KeyConflict } from '../job/key-conflict.ts';
import { queueLeaseUntil } from '../job/lease.ts';
import type { Tables, Write, WriteWindow } from '../ports/tables.ts';
import { heldBy, keyOfJob } from './conditions.ts';
import { withoutLease } from './job-codec.ts';
import type { Living } from './locate.ts';
import { idKey, jobRow, suspendedRow } from './rows.ts';
import { asFound, idleJob, type Moved, movedWrites } from './moved-writes.ts';
import { suspendedLike } from './suspend.ts';
import { tryTransact } from './transact.ts';
import { CHANGED } from './until-unchanged.ts';

/** How an enqueue settles a conflict over its key, and what that needs to know of the deployment. */
export interface ConflictTerms extends KeyConflict {
  readonly redispatchAfterMs: number;
  readonly delayHorizonMs: number;
  /** The job in whose handler the enqueue happens: it is not asked to stop. */
  readonly handlerOf?: string;
}

/** A new job that meets the holder of its key. */
export interface Challenger {
  readonly job: Job;
  readonly token: string;
  readonly conflict: ConflictTerms;
  /** As in `NewJob`. */
  readonly startWithinMs?: number;
  /** Creates the job. */
  readonly put: Write;
  /** The key's row in the job's name. */
  readonly key: Write;
}

/**
 * What became of the holder. `replaced`: it has the new payload and options under its own id; `ready` needs a hint. `taken-over`: it runs,
 * and the new job exists and holds the key. `kept`: it is an occurrence that its schedule made, or has a place in the order of its group, and is not replaced.
 */
export type HolderReplaced =
  | { readonly outcome: 'replaced'; readonly job: Job; readonly ready?: LeasedJob }
  | { readonly outcome: 'taken-over' }
  | { readonly outcome: 'kept' };

/**
 * Gives the holder of a key the payload and the options of a new job, or, if it runs, gives the key to the new job. One transaction that
 * demands the holder as it was seen; CHANGED if it is not. While the holder's `rev` is unchanged it still holds its key: only a running job can lose it.
 */
export async function replaceHolder(
  tables: Tables,
  holder: Living,
  challenger: Challenger,
  { now, window }: { readonly now: number; readonly window: WriteWindow },
): Promise<HolderReplaced | typeof CHANGED> {
  const { token } = challenger;
  if (holder.state === 'running') {
    const writes = takeOver(holder.job, challenger);
    const { applied } = await tryTransact(tables, `take-over/${challenger.job.id}/${token}/${holder.job.lockOwner}`, { writes }, window);
    return applied ? { outcome: 'taken-over' } : CHANGED;
  }
  // One with a place in the order of its group was promised to run as it was enqueued.
  if (isOccurrence(holder.job) || holder.job.groupPlace !== undefined) return { outcome: 'kept' };
  const { writes, ready, job } = replacement(holder, challenger, now);
  const { applied } = await tryTransact(tables, `replace/${holder.job.id}/${token}/${holder.job.rev}`, { writes }, window);
  return applied ? { outcome: 'replaced', job, ...defined({ ready }) } : CHANGED;
}

/** `replace` asks the running job to stop; the others only demand that it still runs, since a job that waits is given the new payload instead. */
function takeOver({ id, lockOwner, cancelRequested }: LeasedJob, { job, conflict, put, key }: Challenger): readonly Write[] {
  const stops = conflict.mode === 'replace' && cancelRequested !== true && id !== conflict.handlerOf;
  const running = { table: 'jobs', key: idKey(id), condition: heldBy(lockOwner) } as const;
  const holder: Write = stops
    ? { op: 'update', ...running, set: { cancelRequested: true, cancelReason: `replaced by ${job.id}` }, add: { rev: 1 } }
    : { op: 'check', ...running };
  return [put, { ...key, condition: keyOfJob(id) }, holder];
}

function replacement(holder: Exclude<Living, { readonly state: 'running' }>, challenger: Challenger, now: number): Moved {
  const { token, conflict } = challenger;
  const terms = { token, now, redispatchAfterMs: conflict.redispatchAfterMs, delayHorizonMs: conflict.delayHorizonMs };
  const job = replaced(holder, challenger, now);
  if (holder.state === 'suspended') {
    // It may belong to another group now, so a suspended group holds it no longer; the executor stops it again if another does.
    if (holder.job.cause.startsWith('group#') && job.group !== holder.job.group) return movedWrites(holder, job, terms);
    const kept = suspendedLike(holder.job, { ...job, rev: job.rev + 1 });
    return { writes: [{ op: 'put', table: 'suspended', row: suspendedRow(kept), condition: asFound(holder) }], job };
  }
  // A message that is under way in the right queue stays good unless the job is due sooner: a new one would join the end of its queue.
  const inTime = job.dueAt >= holder.job.dueAt && job.dueAt <= now + conflict.delayHorizonMs;
  // A FIFO message that is hidden until the job is due would hold up its group.
  const blocksGroup = lockGroup(job) !== undefined && job.dueAt > Math.max(now, holder.job.dueAt);
  if (holder.state === 'ready' && inTime && !blocksGroup && sameQueue(holder.job, job)) {
    const { lockOwner, lockExpiresAt } = holder.job;
    // Only the lease of a job that is not due grows: a key that is enqueued again and again must not keep a lost message from being sent again.
    const expiry = job.dueAt > now ? Math.max(lockExpiresAt, queueLeaseUntil(now, job.dueAt, conflict.redispatchAfterMs)) : lockExpiresAt;
    const { alone: _alone, ...rest } = job;
    const leased: LeasedJob = { ...rest, rev: job.rev + 1, lockOwner, lockExpiresAt: expiry };
    return { writes: [{ op: 'put', table: 'jobs', row: jobRow(leased), condition: asFound(holder) }], job: leased };
  }
  return movedWrites(holder, job, terms);
}

const sameQueue = (one: Job, other: Job): boolean =>
  one.worker === other.worker && one.lane === other.lane && lockGroup(one) === lockGroup(other);

/**
 * The holder with everything that an enqueue says. Its id, its place in a batch and what an operator decided stay. One that has
 * started before begins anew, and so does the longest wait of its debounce.
 */
function replaced(
  holder: Exclude<Living, { readonly state: 'running' }>,
  { job: fresh, conflict: { maxWaitMs }, startWithinMs }: Challenger,
  now: number,
): Job {
  const seen = idleJob(holder);
  const createdAt = seen.starts > 0 ? now : seen.createdAt;
  const { batch, batchLeaf, callbackOf, alone, runNow, triesLimit, extra } = seen;
  const dueAt = maxWaitMs === undefined ? fresh.dueAt : Math.min(fresh.dueAt, createdAt + maxWaitMs);
  const decided = seen.priorityFrom === 'set' || seen.priorityFrom === 'override';
  return {
    ...withoutLease(fresh),
    ...defined({ batch, batchLeaf, callbackOf, alone, runNow, triesLimit, extra }),
    ...(decided ? { priority: seen.priority, priorityFrom: seen.priorityFrom, lane: seen.lane } : {}),
    id: seen.id,
    createdAt,
    dueAt,
    ...(startWithinMs === undefined ? {} : { startBy: dueAt + startWithinMs }),
    rev: seen.rev,
    dispatches: seen.dispatches,
  };
}
