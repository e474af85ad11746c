import type { ExecutorInvocation } from '../invocation/open-invocation.ts';
import type { Delivery } from '../receive/receive.ts';

/** What to do with the message. `later` runs its job again in this invocation, alone. */
export type Disposition = 'acknowledge' | 'requeue' | 'later';

const GIVE_BACK_STEP_MS = 5_000;
const GIVE_BACK_MOST_MS = 60_000;

/** Makes the message visible again after `ms` and reports it as failed, so that the event source does not delete it. */
export async function requeue(invocation: ExecutorInvocation, { message }: Delivery, ms: number): Promise<Disposition> {
  await invocation.deps.inbox.postpone(message, ms);
  return 'requeue';
}

/** Delay for a job that could not start: none the first time, growing with each receive, so that no sandbox spins on it. */
export function giveBackDelayMs(receiveCount: number): number {
  return Math.min(GIVE_BACK_STEP_MS * Math.max(0, receiveCount - 1), GIVE_BACK_MOST_MS);
}
