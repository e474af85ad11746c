import type { BatchCounts } from '../../shared/features/batches/model/batch-progress.ts';

/** The jobs of a batch, by where they lie: `living` in Jobs, Timers or Suspended, `dead` in DeadLetters. */
export interface BatchTally {
  readonly living: number;
  readonly dead: number;
}

/** What is to be added to the counters of a batch. */
export type BatchCorrection = Readonly<Record<'succeeded' | 'failed' | 'cancelled', number>>;

/**
 * How the counters of a batch come to agree with its jobs: every job that was added lives or is counted as ended, once. Undefined when they
 * agree.
 *
 * - Jobs that are counted as ended and live: they will end again and be counted then. They are taken from `succeeded` first and from
 *   `failed` last, so that a batch never looks better than it is.
 * - Jobs that neither live nor are counted: dead letters count as failed. How the others ended is not known, so they count as cancelled:
 *   the batch ends, and does not succeed.
 */
export function correctionOf(
  { total, succeeded, failed, cancelled }: BatchCounts,
  { living, dead }: BatchTally,
): BatchCorrection | undefined {
  const missing = total - living - succeeded - failed - cancelled;
  if (missing === 0) return undefined;
  if (missing > 0) {
    const died = Math.min(missing, Math.max(0, dead - failed));
    return { succeeded: 0, failed: died, cancelled: missing - died };
  }
  const fewerSucceeded = Math.min(-missing, Math.max(0, succeeded));
  const fewerCancelled = Math.min(-missing - fewerSucceeded, Math.max(0, cancelled));
  return { succeeded: -fewerSucceeded, cancelled: -fewerCancelled, failed: missing + fewerSucceeded + fewerCancelled };
}
