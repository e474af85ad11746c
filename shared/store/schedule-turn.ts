import { RowUnreadableError } from '../core/errors.ts';
import { isJobId, type JobId } from '../core/job-id.ts';
import type { Tables } from '../ports/tables.ts';
import { any, noRow } from './conditions.ts';
import { locate } from './locate.ts';
import { scheduleRunKey } from './schedule-rows.ts';

/** A schedule is idle for longer than this only if it comes less than once a month; its row is then cleaned up and made again. */
const TURN_DAYS = 40;

/**
 * Takes the turn of a schedule whose occurrences do not overlap: one write when the last one has ended with its turn, or it is mine
 * already. Nobody gives a turn back: whoever finds one taken looks whether its holder is finished (two to twelve reads) and takes it
 * over if so. False while an earlier occurrence is not finished, wherever it lies.
 */
export async function takeScheduleTurn(tables: Tables, name: string, jobId: JobId, now: number): Promise<boolean> {
  const key = scheduleRunKey(name);
  const row = { ...key, jobId, expiresAt: Math.ceil(now / 1000) + TURN_DAYS * 86_400 };
  const mine = any(noRow('pk'), { test: 'equals', attribute: 'jobId', value: jobId });
  const first = await tables.write({ op: 'put', table: 'control', row, condition: mine });
  if (first.applied) return true;
  const holder = String(first.row?.['jobId'] ?? '');
  if (holder === jobId) return true;
  if (isJobId(holder) && (await isUnfinished(tables, holder))) return false;
  const second = await tables.write({
    op: 'put',
    table: 'control',
    row,
    condition: any(noRow('pk'), { test: 'equals', attribute: 'jobId', value: holder }),
  });
  return second.applied || second.row?.['jobId'] === jobId;
}

async function isUnfinished(tables: Tables, id: JobId): Promise<boolean> {
  try {
    const found = await locate(tables, id);
    return found !== undefined && found.state !== 'dead' && found.state !== 'finished';
  } catch (error) {
    // A row that cannot be read is there, until it is quarantined.
    if (error instanceof RowUnreadableError) return true;
    throw error;
  }
}
