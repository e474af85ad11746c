import { settleBatch } from '../../shared/features/batches/store/settle-batch.ts';
import { attemptRow } from '../../shared/store/attempt-rows.ts';
import { historyRow } from '../../shared/store/rows.ts';
import type { ExecutorInvocation } from './invocation.ts';

/** Settles each batch that had a child finish during this invocation. The sweeper retries failures. */
export async function settleTouchedBatches(invocation: ExecutorInvocation): Promise<void> {
  const { touchedBatches } = invocation.deps;
  if (touchedBatches === undefined || touchedBatches.size === 0) return;
  const ids = [...touchedBatches];
  touchedBatches.clear();
  await Promise.all(ids.map((id) => settleBatch(invocation.deps, id).catch((error: unknown) => invocation.storeFailed(error))));
}

/** Writes the jobs and attempts that ended since the last call, together. Losing them is allowed, and counted. */
export async function writeHistory({ deps, history }: ExecutorInvocation): Promise<void> {
  if (history.length === 0) return;
  const { historyDays } = deps.deployment.settings;
  const rows = history.splice(0).map((ended) => ('jobId' in ended ? attemptRow(ended, historyDays) : historyRow(ended, historyDays)));
  const left = await deps.tables.putAll('history', rows).catch(() => rows);
  if (left.length > 0) deps.journal.record({ event: 'history-lost', count: left.length });
}

/** Longest wait for asynchronous listeners. Otherwise a frozen sandbox would resume them during another invocation. */
const LONGEST_WAIT_MS = 3_000;

/** Waits a limited time for pending session listeners. Their time must not be taken from jobs. */
export async function drainListeners({ pending, deps, budget }: ExecutorInvocation): Promise<void> {
  if (pending === undefined || pending.length === 0) return;
  const over = new AbortController();
  const left = Math.min(LONGEST_WAIT_MS, budget.deadlineAt - deps.clock.now() - 1_000);
  await Promise.race([Promise.all(pending.splice(0)), deps.clock.wait(left, over.signal)]);
  over.abort();
}
