import { executorOwner } from '../core/lock-owner.ts';
import { groupLockKey } from '../store/control-rows.ts';
import { releaseLock, takeLock } from '../store/locks.ts';
import { askTwice } from './ask-twice.ts';
import type { Batch } from './batch.ts';
import { executeJob } from './execute-job.ts';
import { comeBack, type Fate } from './message-fate.ts';
import type { Track } from './receive.ts';

/** How a track ended: the ids of messages that must come back, and what is to run again with nothing beside it. */
export interface TrackEnd {
  readonly comesBack: readonly string[];
  readonly later: Track;
}

/** Runs the deliveries of a track one after another, under the lock of their group if they have one. */
export async function executeTrack(batch: Batch, track: Track): Promise<TrackEnd> {
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
  batch.upkeep?.lockTaken(groupHash, owner);
  const end = await runTrack(batch, track);
  batch.upkeep?.lockReleased(groupHash);
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
