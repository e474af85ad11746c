import { executorOwner } from '../core/lock-owner.ts';
import { mapLimited } from '../core/map-limited.ts';
import type { ReceivedHint } from '../ports/hints.ts';
import type { Invocation } from '../ports/sandbox.ts';
import { groupLockKey } from '../store/control-rows.ts';
import { releaseLock, takeLock } from '../store/locks.ts';
import { historyRow } from '../store/rows.ts';
import { askTwice } from './ask-twice.ts';
import { type Batch, openBatch } from './batch.ts';
import { executeJob } from './execute-job.ts';
import { comeBack, type Fate } from './message-fate.ts';
import type { ExecutorParts } from './parts.ts';
import { receive, type Track } from './receive.ts';

/** Thrown after the sandbox was told to end and did not: the invocation must count as failed. */
export class SandboxEndedError extends Error {
  override readonly name = 'SandboxEndedError';
}

/**
 * Runs the jobs that a batch of messages names and returns the ids of the messages that must come back. Jobs run side by
 * side; those that were redelivered, and so may have killed a process, run after the others, one at a time.
 */
export async function executeBatch(
  parts: ExecutorParts,
  messages: readonly ReceivedHint[],
  invocation: Invocation,
): Promise<readonly string[]> {
  const batch = openBatch(parts, invocation);
  const { tracks, failed } = await receive(parts, messages);
  const back = [...failed];
  const limit = parts.deployment.settings.batchConcurrency || Math.max(1, messages.length);
  const suspects = tracks.filter((track) => track.alone);
  // A suspect that neighbours kept from starting again and again goes first.
  for (const track of suspects.filter(waitedLong)) back.push(...(await executeTrack(batch, track)).comesBack);
  await mapLimited(
    tracks.filter((track) => !track.alone),
    limit,
    async (track) => {
      const { comesBack, later } = await executeTrack(batch, track);
      back.push(...comesBack);
      if (later.deliveries.length > 0) suspects.push(later);
    },
  );
  for (const track of suspects.filter((one) => !waitedLong(one))) back.push(...(await executeTrack(batch, track)).comesBack);
  await writeHistory(batch);
  if (batch.ending) {
    parts.journal.record({ event: 'sandbox-ended', ...(parts.deployment.worker === undefined ? {} : { worker: parts.deployment.worker }) });
    parts.journal.flush();
    parts.sandbox.end();
    throw new SandboxEndedError('A handler outlived its attempt; the sandbox was ended.');
  }
  return back;
}

const LONG_WAIT_RECEIVES = 5;

function waitedLong(track: Track): boolean {
  return track.deliveries.some(({ message }) => message.receiveCount >= LONG_WAIT_RECEIVES);
}

interface TrackEnd {
  readonly comesBack: readonly string[];
  readonly later: Track;
}

async function executeTrack(batch: Batch, track: Track): Promise<TrackEnd> {
  const { groupHash } = track;
  if (groupHash === undefined) return runTrack(batch, track);
  const owner = executorOwner(batch.parts.entropy.token(), track.alone);
  const key = groupLockKey(groupHash);
  const { tables, clock } = batch.parts;
  try {
    const taken = await askTwice(() => takeLock(tables, key, owner, { now: clock.now(), expiresAt: batch.leaseUntil }));
    if (!taken.taken) return await allComeBack(batch, track, Math.max(1_000, taken.until - clock.now()));
  } catch (error) {
    batch.storeFailed(error);
    // It may be taken all the same, by a request whose reply was lost.
    await releaseLock(tables, key, owner).catch((failure: unknown) => batch.storeFailed(failure));
    return allComeBack(batch, track, batch.parts.deployment.settings.leaseMarginMs);
  }
  const end = await runTrack(batch, track);
  // A lock that cannot be given back now expires with the lease.
  if (!batch.keptLocks.has(groupHash)) await releaseLock(tables, key, owner).catch((error: unknown) => batch.storeFailed(error));
  return end;
}

async function runTrack(batch: Batch, track: Track): Promise<TrackEnd> {
  const fates: { fate: Fate; index: number }[] = [];
  for (const [index, delivery] of track.deliveries.entries()) {
    const kept = track.groupHash !== undefined && batch.keptLocks.has(track.groupHash);
    const fate = kept
      ? await comeBack(batch, delivery, batch.leaseUntil - batch.parts.clock.now())
      : await executeJob(batch, delivery, track.alone);
    fates.push({ fate, index });
  }
  const withFate = (wanted: Fate): Track['deliveries'] => track.deliveries.filter((_, index) => fates[index]?.fate === wanted);
  return {
    comesBack: withFate('come-back').map(({ message }) => message.messageId),
    later: { ...track, alone: true, deliveries: withFate('later') },
  };
}

async function allComeBack(batch: Batch, track: Track, ms: number): Promise<TrackEnd> {
  batch.parts.journal.record({
    event: 'lost-claim',
    worker: track.deliveries[0]?.message.queue.worker ?? '',
    reason: 'group',
    count: track.deliveries.length,
  });
  await Promise.all(track.deliveries.map((delivery) => comeBack(batch, delivery, ms)));
  return { comesBack: track.deliveries.map(({ message }) => message.messageId), later: { ...track, deliveries: [] } };
}

/** In one go at the end; losing it is allowed, and counted. */
async function writeHistory(batch: Batch): Promise<void> {
  const { parts, history } = batch;
  if (history.length === 0) return;
  const rows = history.map((finished) => historyRow(finished, parts.deployment.settings.historyDays));
  const left = await parts.tables.putAll('history', rows).catch(() => rows);
  if (left.length > 0) parts.journal.record({ event: 'history-lost', count: left.length });
}
