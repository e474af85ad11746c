import type { Batch } from './batch.ts';
import type { Delivery } from './receive.ts';

/** What becomes of the message; `later` runs its job again in this batch with nothing beside it. */
export type Disposition = 'acknowledge' | 'requeue' | 'later';

const GIVE_BACK_STEP_MS = 5_000;
const GIVE_BACK_MOST_MS = 60_000;

/** Makes the message visible again after `ms` and reports it as failed, so that the event source does not delete it. */
export async function requeue(batch: Batch, { message }: Delivery, ms: number): Promise<Disposition> {
  await batch.deps.inbox.postpone(message, ms);
  return 'requeue';
}

/** For a job that could not start: at once the first time, later each time after that, so that no sandbox spins on it. */
export function giveBackDelayMs(receiveCount: number): number {
  return Math.min(GIVE_BACK_STEP_MS * Math.max(0, receiveCount - 1), GIVE_BACK_MOST_MS);
}
