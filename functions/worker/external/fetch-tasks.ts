import { defined } from '../../../shared/core/defined.ts';
import { errorText } from '../../../shared/core/error-text.ts';
import { NonRetryableError, StoreUnavailableError } from '../../../shared/core/errors.ts';
import type { LeasedJob } from '../../../shared/core/job.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../shared/core/lease.ts';
import { executorOwner } from '../../../shared/core/lock-owner.ts';
import { decodePayload } from '../../../shared/core/payload.ts';
import type { HintSource } from '../../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../../shared/ports/hints.ts';
import type { Batch } from '../../executor/batch.ts';
import { claimDelivery, undoClaim } from '../../executor/claim.ts';
import { admit } from '../../executor/admit.ts';
import { GroupLock } from '../../executor/group-lock.ts';
import { requeue, type Disposition } from '../../executor/requeue.ts';
import { note } from '../../executor/deps.ts';
import { type Delivery, receive } from '../../executor/receive.ts';
import { decideAndRecord } from '../../executor/record.ts';
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

/** Foreign code works until the very end of its lock, by a clock that may be behind another's: its group is locked for that much longer. */
export const GROUP_BEYOND_MS = MAX_CLOCK_SKEW_MS;
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
    const { tracks, failed } = await receive(batch.deps, messages);
    const kept = new Set(failed);
    for (const delivery of tracks.flatMap(({ deliveries }) => deliveries)) {
      const end = await handOut(batch, delivery, tasks);
      if (typeof end !== 'string') tasks.push(end);
      else if (end !== 'acknowledge') kept.add(delivery.message.messageId);
    }
    await Promise.all(messages.filter(({ messageId }) => !kept.has(messageId)).map((message) => acknowledge(fetching, message)));
  }
}

const isAlone = (tasks: readonly ExternalTask[]): boolean => tasks[0]?.token.startsWith('alone/') === true;

/** From here on the sweeper watches the lock, not the message. */
async function acknowledge({ batch, source }: Fetching, message: ReceivedHint): Promise<void> {
  await source.acknowledge(message).catch((error: unknown) => {
    const { journal, clock } = batch.deps;
    journal.record({ event: 'send-failed', worker: message.queue.worker, error: errorText(error, clock.now()) });
  });
}

type HandedOut = ExternalTask | Disposition;

async function handOut(batch: Batch, delivery: Delivery, tasks: readonly ExternalTask[]): Promise<HandedOut> {
  if (isAlone(tasks) || (delivery.alone && tasks.length > 0)) return back(batch, delivery, SUSPECT_BACK_MS);
  const { deps } = batch;
  const { g: groupHash } = delivery.hint;
  const owner = executorOwner(deps.entropy.token(), delivery.alone);
  const lock = groupHash === undefined ? undefined : new GroupLock(batch, groupHash, owner, GROUP_BEYOND_MS);
  let task: HandedOut | undefined;
  try {
    const closedMs = await lock?.take();
    if (closedMs !== undefined) return await back(batch, delivery, closedMs);
    task = await claimTask(batch, delivery, { lock, mayBeAlone: tasks.length === 0 });
    return task === 'later' ? await back(batch, delivery, SUSPECT_BACK_MS) : task;
  } catch (error) {
    batch.storeFailed(error);
    return await back(batch, delivery, deps.deployment.settings.leaseMarginMs);
  } finally {
    if (typeof task !== 'object') await lock?.release();
  }
}

async function claimTask(
  batch: Batch,
  delivery: Delivery,
  { lock, mayBeAlone }: { readonly lock: GroupLock | undefined; readonly mayBeAlone: boolean },
): Promise<HandedOut> {
  let claimed = await claimDelivery(batch, delivery, delivery.alone);
  // Its last lock ran out: it is taken over alone or not at all.
  if ('disposition' in claimed && claimed.disposition === 'later' && mayBeAlone) claimed = await claimDelivery(batch, delivery, true);
  if ('disposition' in claimed) return claimed.disposition;
  const { job } = claimed;
  return startTask(batch, delivery, job, lock).catch(async (error: unknown) => {
    if (error instanceof StoreUnavailableError) await undoClaim(batch, job);
    throw error;
  });
}

async function startTask(batch: Batch, delivery: Delivery, job: LeasedJob, lock: GroupLock | undefined): Promise<HandedOut> {
  const { deps } = batch;
  const checked = await admit(batch, delivery, job);
  if ('disposition' in checked) return checked.disposition;
  const since = deps.clock.now();
  let payload: unknown;
  try {
    payload = decodePayload(job.payload);
  } catch (cause) {
    // It does not change between tries, so it is not tried again.
    const outcome = { kind: 'threw', error: new NonRetryableError('The payload cannot be read.', { cause }) } as const;
    const ended = { job, outcome, startedAt: since, endedAt: since, requestId: batch.requestId, unsettled: false };
    await decideAndRecord(deps, checked.handled, { ...ended, token: deps.entropy.token() });
    return 'acknowledge';
  }
  note(deps, job, 'started', { queueDelayMs: Math.max(0, since - job.dueAt) });
  return {
    id: job.id,
    token: encodeTaskToken({ owner: job.lockOwner, since, ...(lock === undefined ? {} : { groupOwner: lock.held.owner }) }),
    type: job.type,
    payload,
    attempt: job.starts,
    failures: job.failures,
    // The group was locked first, so its lock ends first.
    lockedUntil: new Date(Math.min(job.lockExpiresAt, (lock?.held.until ?? Number.POSITIVE_INFINITY) - GROUP_BEYOND_MS)),
    priority: job.priority,
    ...defined({ group: job.group, tenant: job.tenant, correlationId: job.correlationId }),
  };
}

async function back(batch: Batch, delivery: Delivery, ms: number): Promise<'requeue'> {
  await requeue(batch, delivery, ms);
  return 'requeue';
}
