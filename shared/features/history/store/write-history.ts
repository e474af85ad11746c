import type { AttemptRecord } from '../../../job/attempt.ts';
import type { FinishedJob } from '../../../job/job.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Tables } from '../../../ports/tables.ts';
import { attemptRow } from '../../../store/attempt-rows.ts';
import { historyRow } from '../../../store/rows.ts';

/** What writing History needs. */
export interface HistoryDeps {
  readonly tables: Pick<Tables, 'putAll'>;
  readonly journal: Journal;
  readonly deployment: { readonly settings: { readonly historyDays: number } };
}

/** Writes jobs and attempts that have ended, together. Losing them is allowed, and counted. */
export async function writeHistory(
  { tables, journal, deployment }: HistoryDeps,
  ended: readonly (FinishedJob | AttemptRecord)[],
): Promise<void> {
  if (ended.length === 0) return;
  const { historyDays } = deployment.settings;
  const rows = ended.map((one) => ('jobId' in one ? attemptRow(one, historyDays) : historyRow(one, historyDays)));
  const left = await tables.putAll('history', rows).catch(() => rows);
  if (left.length > 0) journal.record({ event: 'history-lost', count: left.length });
}
