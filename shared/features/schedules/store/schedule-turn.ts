import { RowUnreadableError } from '../../../core/errors.ts';
import type { LeasedJob } from '../../../core/job.ts';
import { isJobId, type JobId } from '../../../core/job-id.ts';
import type { Tables } from '../../../ports/tables.ts';
import { all, any, keyOfJob, noRow, unchanged } from '../../../store/conditions.ts';
import { locate } from '../../../store/locate.ts';
import { scheduleRunKey } from './schedule-rows.ts';

/** A schedule is idle for longer than this only if it comes less than once a month; its row is then cleaned up and made again. */
const TURN_DAYS = 40;

/** Whether the turn was taken; if not, when the one that has it is due, as far as is known. */
export type TurnTaken = { readonly taken: true } | { readonly taken: false; readonly holderDueAt?: number };

/**
 * Takes the turn of a schedule whose occurrences do not overlap: one write when the last one has ended with its turn, or it is mine
 * already. Nobody gives a turn back: whoever finds one taken looks whether its holder is finished (two to twelve reads) and takes it
 * over if so, from the claim that it saw: a holder that came back meanwhile has taken it anew. Not taken while another occurrence that had the
 * turn is not finished, wherever it lies.
 */
export async function takeScheduleTurn(
  tables: Tables,
  name: string,
  { id, lockOwner }: Pick<LeasedJob, 'id' | 'lockOwner'>,
  now: number,
): Promise<TurnTaken> {
  const key = scheduleRunKey(name);
  const row = { ...key, jobId: id, claim: lockOwner, expiresAt: Math.ceil(now / 1000) + TURN_DAYS * 86_400 };
  const mine = any(noRow('pk'), keyOfJob(id));
  const first = await tables.write({ op: 'put', table: 'control', row, condition: mine });
  if (first.applied) return { taken: true };
  const { jobId: holder, claim } = first.row ?? {};
  const unfinished = isJobId(holder) ? await dueIfUnfinished(tables, holder) : undefined;
  if (unfinished !== undefined) return { taken: false, ...unfinished };
  const asSeen = all(unchanged('jobId', holder), unchanged('claim', claim));
  const second = await tables.write({ op: 'put', table: 'control', row, condition: any(noRow('pk'), asSeen) });
  return { taken: second.applied || second.row?.['claim'] === lockOwner };
}

async function dueIfUnfinished(tables: Tables, id: JobId): Promise<{ readonly holderDueAt?: number } | undefined> {
  try {
    const found = await locate(tables, id);
    if (found === undefined || found.state === 'dead' || found.state === 'finished') return undefined;
    return { holderDueAt: found.job.dueAt };
  } catch (error) {
    // A row that cannot be read is there, until it is quarantined.
    if (error instanceof RowUnreadableError) return {};
    throw error;
  }
}
