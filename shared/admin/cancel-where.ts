import { jobRef } from '../ports/journal.ts';
import { errorText } from '../core/error-text.ts';
import { InvalidInputError, RowUnreadableError, StoreUnavailableError } from '../core/errors.ts';
import { mapLimited } from '../core/map-limited.ts';
import { checkOptions, checkText } from '../core/names.ts';
import { cancel, cancelTerms } from '../store/cancel.ts';
import type { CancelWhy } from '../store/cancel-why.ts';
import type { Located } from '../store/locate.ts';
import type { AdminParts } from './admin.ts';
import {
  decodeCursor,
  encodeCursor,
  filterCondition,
  type JobFilter,
  locatedRow,
  type MatchingPage,
  matchingPage,
  type PassCursor,
} from './matching-jobs.ts';

/** Options of a cancel in bulk. */
export interface CancelWhereOptions {
  /** Jobs that this call may cancel. Default 1,000, at most 100,000. */
  readonly limit?: number;
  /** Read units after which the call stops, found something or not. Default 10,000: about 80 MB of rows. */
  readonly maxReadUnits?: number;
  /** Only counts: nothing is written. */
  readonly dryRun?: boolean;
  /** As for `client.cancel`. */
  readonly reason?: string;
  readonly actor?: string;
  /** The `next` of an earlier report: goes on where that call stopped. */
  readonly after?: string;
}

/** What a cancel in bulk did. */
export interface CancelWhereReport {
  /** Jobs that matched, by the state in which they were met. */
  readonly found: number;
  readonly states: Readonly<Partial<Record<Located['state'], number>>>;
  readonly cancelled: number;
  /** Jobs that run and were not asked before: their handlers are told, and whatever ends their run ends it as cancelled. */
  readonly requested: number;
  /** Jobs that ended in between, otherwise than by this call. */
  readonly ended: number;
  /** Jobs for which the store did not answer, or whose row cannot be read; journalled. Repeat the call. */
  readonly failed: number;
  readonly readUnits: number;
  /** Where to go on, when a limit ended the call before every table was passed. */
  readonly next?: string;
}

const PARALLEL = 16;
const MOST = 100_000;
type Counts = Record<'found' | 'cancelled' | 'requested' | 'ended' | 'failed' | 'readUnits', number>;
type Met = 'cancelled' | 'requested' | 'ended' | 'failed';

/** Cancels every job that matches, as far as its limits allow: one scan of the tables in which living jobs lie, then each job by itself. */
export async function cancelWhere(parts: AdminParts, filter: JobFilter, options: CancelWhereOptions = {}): Promise<CancelWhereReport> {
  checkOptions(options, ['limit', 'maxReadUnits', 'dryRun', 'reason', 'actor', 'after'], 'options');
  const condition = filterCondition(filter);
  const limit = checkCount(options.limit ?? 1_000, 'limit', MOST);
  const maxReadUnits = checkCount(options.maxReadUnits ?? 10_000, 'maxReadUnits', Number.MAX_SAFE_INTEGER);
  const [cancelReason, cancelledBy] = [checkText(options.reason, 'reason'), checkText(options.actor, 'actor')];
  const why = { ...(cancelReason === undefined ? {} : { cancelReason }), ...(cancelledBy === undefined ? {} : { cancelledBy }) };
  const counts: Counts = { found: 0, cancelled: 0, requested: 0, ended: 0, failed: 0, readUnits: 0 };
  const states: Partial<Record<Located['state'], number>> = {};
  let at: PassCursor | undefined = options.after === undefined ? { table: 'timers' } : decodeCursor(options.after);
  while (at !== undefined && counts.found - counts.failed < limit && counts.readUnits < maxReadUnits) {
    const page: MatchingPage = await matchingPage(parts.tables, condition, at);
    counts.readUnits += page.readUnits;
    const rows = page.rows.slice(0, limit - counts.found + counts.failed);
    const jobs = readPage(parts, page.table, rows, counts);
    for (const { state } of jobs) states[state] = (states[state] ?? 0) + 1;
    if (options.dryRun !== true) await cancelPage(parts, jobs, why, counts);
    // What was cancelled is not met again, so a page that a limit cut off is simply read again; a count goes on behind its last row.
    if (rows.length === page.rows.length) at = page.next;
    else if (options.dryRun === true) at = rows.at(-1)?.cursor;
  }
  parts.journal.flush();
  return { ...counts, states, ...(at === undefined ? {} : { next: encodeCursor(at) }) };
}

function checkCount(count: number, field: string, most: number): number {
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return count;
  throw new InvalidInputError(field, count, `Use a whole number from 1 to ${most}.`);
}

function readPage(parts: AdminParts, table: MatchingPage['table'], rows: MatchingPage['rows'], counts: Counts): readonly Located[] {
  counts.found += rows.length;
  return rows.flatMap(({ row }) => {
    try {
      return [locatedRow(table, row)];
    } catch (error) {
      if (!(error instanceof RowUnreadableError)) throw error;
      counts.failed++;
      journalFailure(parts, error);
      return [];
    }
  });
}

async function cancelPage(parts: AdminParts, jobs: readonly Located[], why: CancelWhy, counts: Counts): Promise<void> {
  await mapLimited(jobs, PARALLEL, async (found) => {
    counts[await cancelMet(parts, found, why)]++;
  });
}

/** A job that the store does not answer for does not keep the others from being cancelled. */
async function cancelMet(parts: AdminParts, found: Located, why: CancelWhy): Promise<Met> {
  try {
    const { outcome } = await cancel(parts.tables, found.job.id, { ...cancelTerms(parts), ...why }, found);
    if (outcome === 'cancelled') parts.journal.record({ event: 'cancelled', worker: found.job.worker, job: jobRef(found.job) });
    return outcome === 'cancelled' ? outcome : outcome === 'cancel-requested' ? 'requested' : 'ended';
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    journalFailure(parts, error);
    return 'failed';
  }
}

function journalFailure(parts: AdminParts, error: unknown): void {
  parts.journal.record({ event: 'store-failed', reason: 'cancel-where', error: errorText(error, parts.clock.now()) });
}
