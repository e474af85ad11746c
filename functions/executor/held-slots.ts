import type { LeasedJob } from '../../shared/core/job.ts';
import { handOver } from '../../shared/features/limits/store/release-parked.ts';
import type { HeldSlot } from '../../shared/features/limits/store/slots.ts';
import type { Batch } from './batch.ts';

/** Notes a slot before it is asked for, because a reply may be lost. */
export function noteSlot({ slots }: Batch, job: LeasedJob, slot: HeldSlot): void {
  slots.set(job.lockOwner, [...(slots.get(job.lockOwner) ?? []), slot]);
}

/** The slot is not the job's after all. */
export function dropSlot({ slots }: Batch, job: LeasedJob, slot: HeldSlot): void {
  slots.set(
    job.lockOwner,
    (slots.get(job.lockOwner) ?? []).filter((one) => one !== slot),
  );
}

/** Whatever became of the job, it holds nothing any more: each slot goes to the job that waits longest for it. A slot that cannot be given back now expires with the lease. */
export async function releaseSlots(batch: Batch, job: LeasedJob): Promise<void> {
  const held = batch.slots.get(job.lockOwner) ?? [];
  batch.slots.delete(job.lockOwner);
  for (const slot of held) await handOver(batch.deps, job, slot).catch((error: unknown) => batch.storeFailed(error));
}
