import { executorOwner } from '../../shared/core/lock-owner.ts';
import type { Batch } from './batch.ts';
import { executeJob } from './execute-job.ts';
import { GroupLock } from './group-lock.ts';
import { requeue, type Disposition } from './requeue.ts';
import type { Track } from './receive.ts';

/** How a track ended: the ids of messages that must come back, and what is to run again with nothing beside it. */
export interface TrackEnd {
  readonly requeued: readonly string[];
  readonly later: Track;
}

/** Runs the deliveries of a track one after another, under the lock of their group if they have one. */
export async function executeTrack(batch: Batch, track: Track): Promise<TrackEnd> {
  const { groupHash } = track;
  if (groupHash === undefined) return runTrack(batch, track);
  const lock = new GroupLock(batch, groupHash, executorOwner(batch.deps.entropy.token(), track.alone));
  const end = await runTrack(batch, track, lock);
  await lock.release();
  return end;
}

async function runTrack(batch: Batch, track: Track, lock?: GroupLock): Promise<TrackEnd> {
  const { deliveries, alone } = track;
  const dispositions: Disposition[] = [];
  for (const [index, delivery] of deliveries.entries()) {
    const closedMs = await lock?.take();
    if (closedMs !== undefined) {
      dispositions.push(...(await allComeBack(batch, deliveries.slice(index), closedMs)));
      break;
    }
    dispositions.push(await executeJob(batch, lock === undefined ? delivery : { ...delivery, lock: lock.held }, alone));
  }
  const ended = (wanted: Disposition): Track['deliveries'] => deliveries.filter((_, index) => dispositions[index] === wanted);
  return {
    requeued: ended('requeue').map(({ message }) => message.messageId),
    later: { ...track, alone: true, deliveries: ended('later') },
  };
}

async function allComeBack(batch: Batch, deliveries: Track['deliveries'], ms: number): Promise<readonly Disposition[]> {
  const worker = deliveries[0]?.message.queue.worker ?? '';
  batch.deps.journal.record({ event: 'lost-claim', worker, reason: 'group', count: deliveries.length });
  return Promise.all(deliveries.map((delivery) => requeue(batch, delivery, ms)));
}
