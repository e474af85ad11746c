import { SETTINGS } from '../../shared/config/settings.ts';
import { defined } from '../../shared/job/defined.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { type ExecutorInvocation, openInvocation, drainListeners, settleTouchedBatches, flushHistory } from './invocation.ts';
import { GroupLock } from './group-lock.ts';
import type { ExecutorDeps } from './deps.ts';
import { executeJob } from './execute-job.ts';
import { wakeBehind } from './gates/gates.ts';
import { inStartOrder, receive, type Track, type Disposition, giveBackDelayMs, requeue } from './receive.ts';

/** Thrown if the sandbox did not end when asked to: the invocation must count as failed. */
export class SandboxEndedError extends Error {
  override readonly name = 'SandboxEndedError';
}

/**
 * Runs the jobs of one invocation and returns the ids of the messages that SQS must redeliver: receive, three passes over the jobs, settle.
 * Jobs run side by side; those that were redelivered, and so may have killed a process, run one at a time.
 */
export async function executeMessages(
  deps: ExecutorDeps,
  messages: readonly ReceivedHint[],
  context: Invocation,
): Promise<readonly string[]> {
  const invocation = openInvocation(deps, context);
  const { tracks: received, failed } = await receive(deps, messages);
  const tracks = inStartOrder(received);
  const back = [...failed];
  const limit = deps.deployment.settings.batchConcurrency || SETTINGS.batchConcurrency.max;
  const suspects = tracks.filter((track) => track.alone);
  // Pass 1: redelivered jobs that have waited for several receives, one by one.
  for (const track of suspects.filter(waitedLong)) back.push(...(await executeTrack(invocation, track)).requeued);
  // Pass 2: the jobs that were received for the first time, side by side.
  const collect = ({ requeued, later }: TrackResult): void => {
    back.push(...requeued);
    if (later.deliveries.length > 0) suspects.push(later);
  };
  const together = tracks.filter((track) => !track.alone);
  await mapLimited(together, limit, (track) => executeTrack(invocation, track).then(collect));
  // Pass 3: the remaining redelivered ones, and those of pass 2 whose last run crashed, one by one.
  for (const track of suspects.filter((one) => !waitedLong(one))) back.push(...(await executeTrack(invocation, track)).requeued);
  // Settle: what the jobs left to do, and the process if a handler still runs.
  await settleTouchedBatches(invocation);
  await Promise.all([flushHistory(invocation), reportInTime(invocation)]);
  await drainListeners(invocation);
  if (invocation.ending) {
    await settleMessages(deps, messages, { back, failed });
    deps.journal.record({ event: 'sandbox-ended', ...defined({ worker: deps.deployment.worker }) });
    await deps.flushEvents?.(true);
    deps.journal.flush();
    deps.sandbox.end();
    throw new SandboxEndedError('A handler outlived its attempt; the sandbox was ended.');
  }
  return back;
}

/** The result of a track: the ids of messages to redeliver, and the deliveries to run again alone. */
export interface TrackResult {
  readonly requeued: readonly string[];
  readonly later: Track;
}

/** Runs the deliveries of a track one after another, under the lock of their group if they have one. */
export async function executeTrack(invocation: ExecutorInvocation, track: Track): Promise<TrackResult> {
  const { groupHash, deliveries, alone } = track;
  const lock =
    groupHash === undefined ? undefined : new GroupLock(invocation, groupHash, executorOwner(invocation.deps.entropy.token(), alone));
  const dispositions: Disposition[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    const closedMs = await lock?.take();
    if (closedMs !== undefined) {
      dispositions.push(...(await requeueAll(invocation, deliveries.slice(index), closedMs)));
      break;
    }
    dispositions.push(await executeJob(invocation, lock === undefined ? delivery : { ...delivery, lock: lock.held }, alone));
  }
  if (lock !== undefined) {
    await lock.release();
    await wakeBehind(invocation, lock.held.groupHash);
  }
  const ended = (wanted: Disposition): Track['deliveries'] => deliveries.filter((_, index) => dispositions[index] === wanted);
  return {
    requeued: ended('requeue').map(({ message }) => message.messageId),
    later: { ...track, alone: true, deliveries: ended('later') },
  };
}

async function requeueAll(invocation: ExecutorInvocation, deliveries: Track['deliveries'], ms: number): Promise<readonly Disposition[]> {
  const worker = deliveries[0]?.message.queue.worker ?? '';
  invocation.deps.journal.record({ event: 'lost-claim', worker, reason: 'group', count: deliveries.length });
  return Promise.all(deliveries.map((delivery) => requeue(invocation, delivery, ms)));
}

/**
 * Lambda keeps all messages of an invocation that fails until their visibility timeout, and a FIFO queue their groups with them. So finished
 * messages are deleted, and unread ones become visible soon. Requeued messages already have their delay.
 */
async function settleMessages(
  { inbox }: ExecutorDeps,
  messages: readonly ReceivedHint[],
  { back, failed }: { readonly back: readonly string[]; readonly failed: readonly string[] },
): Promise<void> {
  const [returning, unread] = [new Set(back), new Set(failed)];
  await Promise.all([
    inbox.discard(messages.filter(({ messageId }) => !returning.has(messageId))),
    ...messages
      .filter(({ messageId }) => unread.has(messageId))
      .map((message) => inbox.postpone(message, giveBackDelayMs(message.receiveCount))),
  ]);
}

/** Skips the report when time is short: the next invocation makes it. If the function times out, SQS redelivers all its messages. */
async function reportInTime({ deps, budget }: ExecutorInvocation): Promise<void> {
  if (deps.clock.now() < budget.abortAt) await deps.reporter?.report(deps);
}

const LONG_WAIT_RECEIVES = 5;

function waitedLong(track: Track): boolean {
  return track.deliveries.some(({ message }) => message.receiveCount >= LONG_WAIT_RECEIVES);
}
