import { defined } from '../../shared/core/defined.ts';
import { mapLimited } from '../../shared/core/map-limited.ts';
import type { ReceivedHint } from '../../shared/ports/hints.ts';
import type { Invocation } from '../../shared/ports/sandbox.ts';
import { type Batch, openBatch } from './batch.ts';
import { executeTrack } from './execute-track.ts';
import type { ExecutorDeps } from './deps.ts';
import { receive, type Track } from './receive.ts';
import { settleTouchedBatches } from './settle.ts';
import { inStartOrder } from './start-order.ts';
import { drainListeners } from './drain-listeners.ts';
import { writeHistory } from './write-history.ts';

/** Thrown after the sandbox was told to end and did not: the invocation must count as failed. */
export class SandboxEndedError extends Error {
  override readonly name = 'SandboxEndedError';
}

/**
 * Runs the jobs that a batch of messages names and returns the ids of the messages that must come back. Jobs run side by
 * side; those that were redelivered, and so may have killed a process, run after the others, one at a time.
 */
export async function executeBatch(
  deps: ExecutorDeps,
  messages: readonly ReceivedHint[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const batch = openBatch(deps, invocation);
  const { tracks: received, failed } = await receive(deps, messages);
  const tracks = inStartOrder(received);
  const back = [...failed];
  const limit = deps.deployment.settings.batchConcurrency || messages.length;
  const suspects = tracks.filter((track) => track.alone);
  // A suspect that neighbours kept from starting again and again goes first.
  for (const track of suspects.filter(waitedLong)) back.push(...(await executeTrack(batch, track)).requeued);
  await mapLimited(
    tracks.filter((track) => !track.alone),
    limit,
    async (track) => {
      const { requeued, later } = await executeTrack(batch, track);
      back.push(...requeued);
      if (later.deliveries.length > 0) suspects.push(later);
    },
  );
  for (const track of suspects.filter((one) => !waitedLong(one))) back.push(...(await executeTrack(batch, track)).requeued);
  await settleTouchedBatches(batch);
  await Promise.all([writeHistory(batch), reportInTime(batch)]);
  await drainListeners(batch);
  if (batch.ending) {
    deps.journal.record({ event: 'sandbox-ended', ...defined({ worker: deps.deployment.worker }) });
    await deps.flushEvents?.(true);
    deps.journal.flush();
    deps.sandbox.end();
    throw new SandboxEndedError('A handler outlived its attempt; the sandbox was ended.');
  }
  return back;
}

/** A report may wait for the next invocation: an invocation that its function's timeout ends has all its messages come back. */
async function reportInTime({ deps, budget }: Batch): Promise<void> {
  if (deps.clock.now() < budget.abortAt) await deps.reporter?.report(deps);
}

const LONG_WAIT_RECEIVES = 5;

function waitedLong(track: Track): boolean {
  return track.deliveries.some(({ message }) => message.receiveCount >= LONG_WAIT_RECEIVES);
}
