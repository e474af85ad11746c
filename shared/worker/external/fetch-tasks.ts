import { errorText } from '../../core/error-text.ts';
import { NonRetryableError, StoreUnavailableError } from '../../core/errors.ts';
import type { LeasedJob } from '../../core/job.ts';
import { executorOwner, type LockOwner } from '../../core/lock-owner.ts';
import { decodePayload } from '../../core/payload.ts';
import type { HintSource } from '../../ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../ports/hints.ts';
import { groupLockKey } from '../../store/control-rows.ts';
import { releaseLock, takeLock } from '../../store/locks.ts';
import { askTwice } from '../ask-twice.ts';
import type { Batch } from '../batch.ts';
import { claimDelivery, undoClaim } from '../claim-delivery.ts';
import { mayStart } from '../execute-job.ts';
import { comeBack } from '../message-fate.ts';
import { note } from '../parts.ts';
import { type Delivery, receive } from '../receive.ts';
import { record } from '../record.ts';
import type { ExternalTask } from './external.ts';
import { encodeTaskToken } from './task-token.ts';

/** What tasks are fetched from. The batch's leases are as long as the lock that is asked for. */
export interface Fetching {
  readonly batch: Batch;
  readonly source: HintSource;
  readonly queues: readonly QueueRef[];
  readonly n: number;
  readonly waitMs: number;
}

/** For a suspect that met others: it comes back, and is handed out once nothing else is. */
const SUSPECT_BACK_MS = 5_000;
const MOST_MESSAGES = 10;

/** Receives and claims until there are `n` tasks or no more messages; waits only when there was none at all. */
export async function fetchTasks(fetching: Fetching): Promise<readonly ExternalTask[]> {
  const tasks: ExternalTask[] = [];
  try {
    await fetchInto(fetching, tasks);
  } catch (error) {
    // What is locked already must reach its worker: nobody else gets it before its lock ends.
    if (tasks.length === 0) throw error;
    fetching.batch.storeFailed(error);
  }
  return tasks;
}

async function fetchInto(fetching: Fetching, tasks: ExternalTask[]): Promise<void> {
  for (const queue of fetching.queues) await fetchFrom(fetching, queue, tasks);
  if (tasks.length > 0 || fetching.waitMs === 0) return;
  for (const queue of fetching.queues) {
    await fetchFrom(fetching, queue, tasks, fetching.waitMs / fetching.queues.length);
    if (tasks.length > 0) return;
  }
}

async function fetchFrom(fetching: Fetching, queue: QueueRef, tasks: ExternalTask[], waitMs = 0): Promise<void> {
  const { batch, source, n } = fetching;
  for (let wait = waitMs; tasks.length < n && !isAlone(tasks); wait = 0) {
    // Neighbours of a group could not be handed out together.
    const max = queue.kind === 'fifo' ? 1 : Math.min(MOST_MESSAGES, n - tasks.length);
    const messages = await source.receive(queue, { max, waitMs: wait });
    if (messages.length === 0) return;
    const { tracks, failed } = await receive(batch.parts, messages);
    const kept = new Set(failed);
    for (const track of tracks) {
      for (const delivery of track.deliveries) {
        const end = await handOut(batch, { ...delivery, alone: track.alone }, tasks);
        if (end === 'come-back') kept.add(delivery.message.messageId);
        else if (end !== 'acknowledge') tasks.push(end);
      }
    }
    await Promise.all(messages.filter(({ messageId }) => !kept.has(messageId)).map((message) => acknowledge(fetching, message)));
  }
}

const isAlone = (tasks: readonly ExternalTask[]): boolean => tasks[0]?.token.startsWith('alone/') === true;

/** From here on the sweeper watches the lock, not the message. */
async function acknowledge({ batch, source }: Fetching, message: ReceivedHint): Promise<void> {
  await source.acknowledge(message).catch((error: unknown) => {
    const { journal, clock } = batch.parts;
    journal.record({ event: 'send-failed', worker: message.queue.worker, error: errorText(error, clock.now()) });
  });
}

type HandedOut = ExternalTask | 'acknowledge' | 'come-back';

async function handOut(batch: Batch, delivery: Delivery, tasks: readonly ExternalTask[]): Promise<HandedOut> {
  if (isAlone(tasks) || (delivery.alone && tasks.length > 0)) return back(batch, delivery, SUSPECT_BACK_MS);
  const { parts } = batch;
  const { g: groupHash } = delivery.hint;
  const groupOwner = groupHash === undefined ? undefined : executorOwner(parts.entropy.token(), delivery.alone);
  try {
    if (groupHash !== undefined && groupOwner !== undefined) {
      const times = { now: parts.clock.now(), expiresAt: batch.leaseUntil };
      const taken = await askTwice(() => takeLock(parts.tables, groupLockKey(groupHash), groupOwner, times));
      if (!taken.taken) return await back(batch, delivery, Math.max(1_000, taken.until - parts.clock.now()));
    }
    const task = await claimTask(batch, delivery, { groupOwner, mayBeAlone: tasks.length === 0 });
    if (typeof task === 'string') await letGo(batch, groupHash, groupOwner);
    return task;
  } catch (error) {
    batch.storeFailed(error);
    await letGo(batch, groupHash, groupOwner);
    return back(batch, delivery, parts.deployment.settings.leaseMarginMs);
  }
}

async function claimTask(
  batch: Batch,
  delivery: Delivery,
  { groupOwner, mayBeAlone }: { readonly groupOwner: LockOwner | undefined; readonly mayBeAlone: boolean },
): Promise<HandedOut> {
  const since = batch.parts.clock.now();
  const claimed = await claimDelivery(batch, delivery, delivery.alone);
  if ('fate' in claimed) {
    if (claimed.fate !== 'later') return claimed.fate;
    // Its last lock ran out: it is taken over alone or not at all.
    const again = mayBeAlone ? await claimDelivery(batch, delivery, true) : undefined;
    if (again === undefined) return back(batch, delivery, SUSPECT_BACK_MS);
    if ('fate' in again) return again.fate === 'later' ? back(batch, delivery, SUSPECT_BACK_MS) : again.fate;
    return startTask(batch, delivery, again.job, { since, groupOwner });
  }
  return startTask(batch, delivery, claimed.job, { since, groupOwner });
}

async function startTask(
  batch: Batch,
  delivery: Delivery,
  job: LeasedJob,
  { since, groupOwner }: { readonly since: number; readonly groupOwner: LockOwner | undefined },
): Promise<HandedOut> {
  const { parts } = batch;
  const checked = await mayStart(batch, delivery, job).catch(async (error: unknown) => {
    if (error instanceof StoreUnavailableError) await undoClaim(batch, job);
    throw error;
  });
  if ('fate' in checked) return checked.fate === 'later' ? back(batch, delivery, SUSPECT_BACK_MS) : checked.fate;
  let payload: unknown;
  try {
    payload = decodePayload(job.payload);
  } catch (cause) {
    // It does not change between tries, so it is not tried again.
    const outcome = { kind: 'threw', error: new NonRetryableError('The payload cannot be read.', { cause }) } as const;
    const ended = { job, outcome, startedAt: since, endedAt: parts.clock.now(), requestId: batch.requestId, unsettled: false };
    await record(parts, checked.handled, { ...ended, token: parts.entropy.token() });
    return 'acknowledge';
  }
  note(parts, job, 'started', { queueDelayMs: Math.max(0, since - job.dueAt) });
  return {
    id: job.id,
    token: encodeTaskToken({ owner: job.lockOwner, since, ...(groupOwner === undefined ? {} : { groupOwner }) }),
    type: job.type,
    payload,
    attempt: job.starts,
    failures: job.failures,
    lockedUntil: new Date(job.lockExpiresAt),
    priority: job.priority,
    ...(job.group === undefined ? {} : { group: job.group }),
    ...(job.tenant === undefined ? {} : { tenant: job.tenant }),
    ...(job.correlationId === undefined ? {} : { correlationId: job.correlationId }),
  };
}

async function letGo(batch: Batch, groupHash: string | undefined, owner: LockOwner | undefined): Promise<void> {
  if (groupHash === undefined || owner === undefined) return;
  await releaseLock(batch.parts.tables, groupLockKey(groupHash), owner).catch((error: unknown) => batch.storeFailed(error));
}

async function back(batch: Batch, delivery: Delivery, ms: number): Promise<'come-back'> {
  await comeBack(batch, delivery, ms);
  return 'come-back';
}
