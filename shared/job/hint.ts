import { defined } from './defined.ts';
import { HintUnreadableError, shown } from './errors.ts';
import { sha256 } from './hash.ts';
import type { Job, LeasedJob } from './job.ts';
import { waitsAlone } from './lock-owner.ts';
import { isJobId, type JobId } from './job-id.ts';

/** The body of a message. It names a job and carries nothing that is trusted: the row decides. */
export interface HintBody {
  readonly v: 1;
  readonly id: JobId;
  /** The row's `dispatches` when the hint was sent. */
  readonly n: number;
  /** Hash of the group, so that the group's lock can be taken before the job is claimed. */
  readonly g?: string;
  /** Sent to a standard queue because it needed a delay; forward it to the FIFO queue on receipt. */
  readonly fwd?: 1;
  /** After a crash: run it alone. */
  readonly alone?: 1;
  /** The row's priority, left out when it is 0: within a batch the more urgent job starts first. */
  readonly p?: number;
}

/** A hint on its way to a queue. */
export interface Hint {
  readonly id: JobId;
  readonly n: number;
  readonly worker: string;
  readonly lane: string;
  /** `MessageGroupId` on FIFO. */
  readonly groupHash?: string;
  /** `MessageGroupId` on standard queues: turns on SQS fair queues. */
  readonly tenantHash?: string;
  readonly delayMs: number;
  readonly alone: boolean;
  /** 0 when absent. */
  readonly priority?: number;
}

/** The name of a group in SQS and in the group lock: SQS accepts only 128 ASCII characters. */
export function groupHash(group: string): string {
  return sha256(group);
}

/** The group whose lock a job needs; undefined for a job whose group is only a label. */
export function lockGroup(job: Pick<Job, 'group' | 'exclusive'>): string | undefined {
  return job.exclusive === false ? undefined : job.group;
}

/** The hint of a row that was just made ready, marked `alone` where the row is. */
export function hintFor(job: LeasedJob, now: number): Hint {
  const group = lockGroup(job);
  return {
    id: job.id,
    n: job.dispatches,
    worker: job.worker,
    lane: job.lane,
    ...(group === undefined ? {} : { groupHash: groupHash(group) }),
    ...(job.tenant === undefined ? {} : { tenantHash: sha256(job.tenant) }),
    delayMs: Math.max(0, job.dueAt - now),
    alone: waitsAlone(job.lockOwner),
    ...(job.priority === 0 ? {} : { priority: job.priority }),
  };
}

/** The message body of a hint; `forward` marks one that waits on a standard queue for its FIFO queue. */
export function encodeHint(hint: Hint, forward: boolean): string {
  const body: HintBody = {
    v: 1,
    id: hint.id,
    n: hint.n,
    ...defined({ g: hint.groupHash }),
    ...(forward ? { fwd: 1 as const } : {}),
    ...(hint.alone ? { alone: 1 as const } : {}),
    ...(hint.priority === undefined || hint.priority === 0 ? {} : { p: hint.priority }),
  };
  return JSON.stringify(body);
}

/** Reads a message body; throws HintUnreadableError. Unknown fields are ignored, so that a newer sender is understood. */
export function decodeHint(text: string): HintBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new HintUnreadableError(`body is not JSON: ${shown(text.slice(0, 60))}`);
  }
  if (typeof body !== 'object' || body === null) throw new HintUnreadableError('body is not an object');
  const { v, id, n, g, fwd, alone, p } = body as Record<string, unknown>;
  if (v !== 1) throw new HintUnreadableError(`v: ${shown(v)} is not a version that this code reads (1)`);
  if (!isJobId(id)) throw new HintUnreadableError(`id: ${shown(id)} is not a job id`);
  if (!Number.isSafeInteger(n) || (n as number) < 0) throw new HintUnreadableError(`n: ${shown(n)} is not a count of dispatches`);
  if (g !== undefined && (typeof g !== 'string' || !/^[\w-]{43}$/.test(g))) throw new HintUnreadableError('g: not a group hash');
  return {
    v,
    id,
    n: n as number,
    ...defined({ g }),
    ...(fwd === 1 ? { fwd } : {}),
    ...(alone === 1 ? { alone } : {}),
    // Only the order within a delivery depends on it, so an invalid priority counts as none.
    ...(Number.isSafeInteger(p) && p !== 0 ? { p: p as number } : {}),
  };
}
