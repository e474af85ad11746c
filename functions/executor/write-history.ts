import { attemptRow } from '../../shared/store/attempt-rows.ts';
import { historyRow } from '../../shared/store/rows.ts';
import type { Batch } from './batch.ts';

/** Writes what ended since the last time, in one go; losing it is allowed, and counted. */
export async function writeHistory({ deps, history }: Batch): Promise<void> {
  if (history.length === 0) return;
  const { historyDays } = deps.deployment.settings;
  const rows = history.splice(0).map((ended) => ('jobId' in ended ? attemptRow(ended, historyDays) : historyRow(ended, historyDays)));
  const left = await deps.tables.putAll('history', rows).catch(() => rows);
  if (left.length > 0) deps.journal.record({ event: 'history-lost', count: left.length });
}
