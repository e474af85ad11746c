import type { Batch } from './batch.ts';

/** Longest wait for listeners that are asynchronous; a frozen sandbox would go on with them in the middle of another invocation. */
const LONGEST_WAIT_MS = 3_000;

/** Waits for what listeners of sessions still do, for a while: their time is not the jobs'. */
export async function drainListeners({ pending, deps, budget }: Batch): Promise<void> {
  if (pending === undefined || pending.length === 0) return;
  const over = new AbortController();
  const left = Math.min(LONGEST_WAIT_MS, budget.deadlineAt - deps.clock.now() - 1_000);
  await Promise.race([Promise.all(pending.splice(0)), deps.clock.wait(left, over.signal)]);
  over.abort();
}
