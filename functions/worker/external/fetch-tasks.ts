import { pick } from '../../../shared/job/defined.ts';
import { errorText } from '../../../shared/job/error-text.ts';
import { failedByStore } from '../../../shared/job/store-failures.ts';
import { belongingsOf, type LeasedJob } from '../../../shared/job/job.ts';
import { MAX_CLOCK_SKEW_MS } from '../../../shared/job/lease.ts';
import { executorOwner } from '../../../shared/job/lock-owner.ts';
import { liftStored, unreadablePayload } from '../../../shared/job/payload-codec.ts';
import type { HintSource } from '../../../shared/ports/hint-source.ts';
import type { QueueRef, ReceivedHint } from '../../../shared/ports/hints.ts';
import { type ExecutorInvocation, flushHistory, settleTouchedBatches } from '../../executor/invocation.ts';
import { claimDelivery, undoClaim } from '../../executor/claim.ts';
import { GroupLock } from '../../executor/group-lock.ts';
import { admit } from '../../executor/gates/admit.ts';
import { sendBack, note } from '../../executor/held-job.ts';
import { requeue, type Disposition, type Delivery, receive } from '../../executor/receive.ts';
import { handsOutEncoded } from './every-type.ts';
import type { ExternalTask } from './external.ts';
import { recordAttempt } from './record-attempt.ts';
import { encodeTaskToken } from './task-token.ts';

/** The source of tasks. The leases of the invocation are as long as the requested lock. */
export interface Fetching {
  readonly invocation: ExecutorInvocation;
  readonly source: HintSource;
  readonly queues: readonly QueueRef[];
  readonly n: number;
  readonly waitMs: number;
}

/** Foreign code may work until its lock ends by a clock that is behind. The lock of its group lasts that much longer. */
export const GROUP_BEYOND_MS = MAX_CLOCK_SKEW_MS;
/** Delay for a suspect that was received with others: it is redelivered, and returned when there is nothing else. */
const SUSPECT_BACK_MS = 5_000;
const MAX_MESSAGES = 10;

/** Receives and claims until there are `n` tasks or no more messages; waits only for the first message. */
export async function fetchTasks(fetching: Fetching): Promise<readonly ExternalTask[]> {
  const tasks: ExternalTask[] = [];
  try {
    await fetchInto(fetching, tasks);
  } catch (error) {
    // Tasks that are locked already must reach their worker: no other can get them before the lock expires.
    if (tasks.length === 0) throw error;
    fetching.invocation.storeFailed(error);
  } finally {
    // Of jobs that ended instead of being handed out. Neither rejects.
    await Promise.all([settleTouchedBatches(fetching.invocation), flushHistory(fetching.invocation)]);
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
  const { invocation, source, n } = fetching;
  for (let wait = waitMs; tasks.length < n && !isAlone(tasks); wait = 0) {
    // Jobs of one group cannot be returned together.
    const max = queue.kind === 'fifo' ? 1 : Math.min(MAX_MESSAGES, n - tasks.length);
    const messages = await source.receive(queue, { max, waitMs: wait });
    if (messages.length === 0) return;
    const { tracks, failed } = await receive(invocation.deps, messages);
    const kept = new Set(failed);
    for (const delivery of tracks.flatMap(({ deliveries }) => deliveries)) {
      const end = await handOut(invocation, delivery, tasks);
      if (typeof end !== 'string') tasks.push(end);
      else if (end !== 'acknowledge') kept.add(delivery.message.messageId);
    }
    await Promise.all(messages.filter(({ messageId }) => !kept.has(messageId)).map((message) => acknowledge(fetching, message)));
  }
}

const isAlone = (tasks: readonly ExternalTask[]): boolean => tasks[0]?.token.startsWith('alone/') === true;

/** From here on the lock counts, not the message: the sweeper watches it. */
async function acknowledge({ invocation, source }: Fetching, message: ReceivedHint): Promise<void> {
  await source.acknowledge(message).catch((error: unknown) => {
    const { journal, clock } = invocation.deps;
    journal.record({ event: 'send-failed', worker: message.queue.worker, error: errorText(error, clock.now()) });
  });
}

type HandedOut = ExternalTask | Disposition;

async function handOut(invocation: ExecutorInvocation, delivery: Delivery, tasks: readonly ExternalTask[]): Promise<HandedOut> {
  if (isAlone(tasks) || (delivery.alone && tasks.length > 0)) return back(invocation, delivery, SUSPECT_BACK_MS);
  const { deps } = invocation;
  const { g: groupHash } = delivery.hint;
  const owner = executorOwner(deps.entropy.token(), delivery.alone);
  const lock = groupHash === undefined ? undefined : new GroupLock(invocation, groupHash, owner, GROUP_BEYOND_MS);
  let task: HandedOut | undefined;
  try {
    const closedMs = await lock?.take();
    if (closedMs !== undefined) return await back(invocation, delivery, closedMs);
    task = await claimTask(invocation, delivery, { lock, mayBeAlone: tasks.length === 0 });
    return task === 'later' ? await back(invocation, delivery, SUSPECT_BACK_MS) : task;
  } catch (error) {
    invocation.storeFailed(error);
    return await back(invocation, delivery, deps.deployment.settings.leaseMarginMs);
  } finally {
    if (typeof task !== 'object') await lock?.release();
  }
}

async function claimTask(
  invocation: ExecutorInvocation,
  delivery: Delivery,
  { lock, mayBeAlone }: { readonly lock: GroupLock | undefined; readonly mayBeAlone: boolean },
): Promise<HandedOut> {
  let claimed = await claimDelivery(invocation, delivery, delivery.alone);
  // Its last lock expired: it is taken over alone or not at all.
  if ('disposition' in claimed && claimed.disposition === 'later' && mayBeAlone) claimed = await claimDelivery(invocation, delivery, true);
  if ('disposition' in claimed) return claimed.disposition;
  const { job } = claimed;
  return startTask(invocation, delivery, job, lock).catch(async (error: unknown) => {
    if (failedByStore(error)) await undoClaim(invocation, job, { sameAttempt: true });
    throw error;
  });
}

async function startTask(
  invocation: ExecutorInvocation,
  delivery: Delivery,
  job: LeasedJob,
  lock: GroupLock | undefined,
): Promise<HandedOut> {
  const { deps } = invocation;
  const checked = await admit(invocation, delivery, job);
  if ('disposition' in checked) return checked.disposition;
  const since = deps.clock.now();
  // The group was locked first, so its lock expires first.
  const lockedUntil = Math.min(job.lockExpiresAt, (lock?.held.until ?? Number.POSITIVE_INFINITY) - GROUP_BEYOND_MS);
  // The process stood still until the locks expired: the task must not be handed out.
  if (lockedUntil <= since) return sendBack(deps, job, { dueAt: job.dueAt, reason: 'lease-over' });
  const { type } = checked.handled;
  let payload: unknown;
  try {
    payload = await liftStored(type, job);
  } catch (cause) {
    const outcome = { kind: 'threw', error: unreadablePayload(type, job, cause) } as const;
    const ended = { job, outcome, startedAt: since, endedAt: since, requestId: invocation.requestId, unsettled: false };
    await recordAttempt(invocation, checked.handled, { ...ended, token: deps.entropy.token() });
    return 'acknowledge';
  }
  note(deps, job, 'started', { queueDelayMs: Math.max(0, since - job.dueAt) });
  return {
    id: job.id,
    token: encodeTaskToken({ owner: job.lockOwner, since, ...(lock === undefined ? {} : { groupOwner: lock.held.owner }) }),
    type: job.type,
    payload,
    schemaVersion: type.upcasts.length === 0 ? job.schemaVersion : type.schemaVersion,
    attempt: job.starts,
    failures: job.failures,
    lockedUntil: new Date(lockedUntil),
    priority: job.priority,
    ...belongingsOf(job),
    ...pick(job, 'traceparent', 'tracestate', ...(handsOutEncoded(type) ? (['codec'] as const) : [])),
  };
}

async function back(invocation: ExecutorInvocation, delivery: Delivery, ms: number): Promise<'requeue'> {
  await requeue(invocation, delivery, ms);
  return 'requeue';
}
