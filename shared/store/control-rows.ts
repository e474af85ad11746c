import { defined } from '../job/defined.ts';
import { iso } from '../job/instant.ts';
import { dueAtOf, type JobId } from '../job/job-id.ts';
import type { LockOwner } from '../job/lock-owner.ts';
import type { Row, RowKey, Write } from '../ports/tables.ts';
import { keyOfJob } from './conditions.ts';
import { timerDue } from './rows.ts';

const seconds = (ms: number): number => Math.ceil(ms / 1000);
const DAY_MS = 86_400_000;
/** How long a pointer outlives its timer's due time: an acquirer that was off for weeks must still be found (decision of DESIGN.md 4). */
const POINTER_DAYS = 35;

/** Exclusive group: one namespace per deployment. */
export const groupLockKey = (groupHash: string): RowKey => ({ pk: `group#${groupHash}`, sk: 'lock' });

/** Partition of the acquire locks and of the rules of retention. The sweeper reads it in each run, up to 100 rows. */
export const ACQUIRE = 'acquire';

/** Acquire lock of a shard; all are in one partition, so that they can be listed. */
export const acquireLockKey = (shard: string): RowKey => ({ pk: ACQUIRE, sk: shard });

/** Row of a group lock or acquire lock, with when it was last taken or renewed. TTL removes an abandoned row a day later. */
export const lockRow = (key: RowKey, owner: LockOwner, { now, expiresAt }: { readonly now: number; readonly expiresAt: number }): Row => ({
  ...key,
  lockOwner: owner,
  takenAt: iso(now),
  lockExpiresAt: iso(expiresAt),
  expiresAt: seconds(expiresAt + DAY_MS),
});

/** Unique key. */
export const uniqueKeyKey = (hash: string): RowKey => ({ pk: `key#${hash}`, sk: 'key' });

/** Row of a unique key; `until` is set for one that lasts for a stated time. */
export const uniqueKeyRow = (hash: string, jobId: JobId, until?: number): Row => ({
  ...uniqueKeyKey(hash),
  jobId,
  ...(until === undefined ? {} : { until: iso(until), expiresAt: seconds(until + DAY_MS) }),
});

/** Frees a unique key, unless another job holds it by now. */
export const releaseKey = (hash: string, jobId: JobId): Write => ({
  op: 'delete',
  table: 'control',
  key: uniqueKeyKey(hash),
  condition: keyOfJob(jobId),
});

/** The position of a timer whose due time was changed. */
export const movedKey = (id: JobId): RowKey => ({ pk: `moved#${id}`, sk: 'moved' });

/** Pointer to a moved timer; overwritten by the next move. */
export const movedRow = (id: JobId, dueAt: number): Row => ({
  ...movedKey(id),
  due: timerDue(id, dueAt),
  expiresAt: seconds(Math.max(dueAt, dueAtOf(id)) + POINTER_DAYS * DAY_MS),
});

/** Leaves of a batch's counters that share a partition: each takes a thousand write units a second. */
export const LEAVES_PER_PARTITION = 16;

/** The partitions of a batch; its head is in the first. They differ by a prefix, because an id may contain any character. */
export const batchPartition = (batch: string, part = 0): string => `batch${part === 0 ? '' : part}#${batch}`;

/** A leaf of the counters of a batch. */
export const batchLeafKey = (batch: string, leaf: number): RowKey => ({
  pk: batchPartition(batch, Math.floor(leaf / LEAVES_PER_PARTITION)),
  sk: `leaf#${String(leaf).padStart(3, '0')}`,
});

/** What a job's completion gave back. */
export const resultKey = (id: JobId): RowKey => ({ pk: `result#${id}`, sk: 'result' });

/** Row of a result; `json` is any JSON value. TTL removes it a day after it was promised. */
export const resultRow = (
  { id, type, tenant }: { readonly id: JobId; readonly type: string; readonly tenant?: string },
  json: string,
  times: { readonly now: number; readonly until: number },
): Row => ({
  ...resultKey(id),
  json,
  type,
  ...defined({ tenant }),
  finishedAt: iso(times.now),
  until: iso(times.until),
  expiresAt: seconds(times.until + DAY_MS),
});

/** Partition of all heartbeats. */
export const HEARTBEATS = 'heartbeat';

/** Last run of an acquirer or the sweeper. */
export const heartbeatKey = (who: string): RowKey => ({ pk: HEARTBEATS, sk: who });

/** Where the sweeper continues in a segment of its scan. */
export const sweepCursorKey = (segment: number, segments: number): RowKey => ({ pk: 'sweep-cursor', sk: `${segment}/${segments}` });

/** Where the cleaner of the payload store continues. */
export const CLEAN_CURSOR_KEY: RowKey = { pk: 'clean-cursor', sk: 'payloads' };

/** Partition of the causes of suspended jobs that are retried automatically. */
export const HELD_CAUSES = 'held-cause';

/** A cause of suspended jobs that is retried automatically. */
export const heldCauseKey = (cause: string): RowKey => ({ pk: HELD_CAUSES, sk: cause });
