/**
 * The holder of a row of Jobs, as one text.
 * - `queue/<redispatches in a row>/<token>`: dispatched, not running; `queue/<n>/alone/<token>` after a crash
 * - `run/<token>`: an executor runs it together with other jobs
 * - `alone/<token>`: an executor runs it alone, so that a crash can be counted against it
 *
 * The token is fresh for each logical write: after a lost reply it identifies one's own write.
 */
export type LockOwner = string;

/** What every owner that waits in a queue begins with. */
export const QUEUE_PREFIX = 'queue/';

/** Owner of a dispatched row; `redispatches` counts the sweeper's resets since the job last ran or moved. */
export function queueOwner(token: string, redispatches = 0, alone = false): LockOwner {
  return `${QUEUE_PREFIX}${redispatches}/${alone ? 'alone/' : ''}${token}`;
}

/** Owner of a running row. */
export function executorOwner(token: string, alone: boolean): LockOwner {
  return `${alone ? 'alone' : 'run'}/${token}`;
}

/** Whether the row waits in a queue, so that any executor may claim it. */
export function isQueueOwner(owner: LockOwner): boolean {
  return owner.startsWith(QUEUE_PREFIX);
}

/** Whether a lease of this owner that runs out is a crash of this very job. */
export function ranAlone(owner: LockOwner): boolean {
  return owner.startsWith('alone/');
}

/** Resets in a row of a dispatched row; 0 for a running one. */
export function redispatchesOf(owner: LockOwner): number {
  return isQueueOwner(owner) ? Number.parseInt(owner.split('/')[1] ?? '0', 10) || 0 : 0;
}

/** Whether a dispatched job must run alone, because it may have killed a process. */
export function waitsAlone(owner: LockOwner): boolean {
  return isQueueOwner(owner) && owner.split('/')[2] === 'alone';
}
