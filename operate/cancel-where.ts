import { defined } from '../shared/job/defined.ts';
import { errorText } from '../shared/job/error-text.ts';
import { Described, InvalidInputError, RowUnreadableError, StoreUnavailableError } from '../shared/job/errors.ts';
import type { JobState } from '../shared/job/job.ts';
import { mapLimited } from '../shared/job/map-limited.ts';
import { checkOptions, checkText } from '../shared/job/names.ts';
import type { CancelWhy } from '../shared/store/cancel-why.ts';
import { type Located, locatedRow } from '../shared/store/locate.ts';
import type { AdminDeps } from './admin-deps.ts';
import { type Meant, matchesSelection, NotMeantError } from './bulk/matches-selection.ts';
import { cancelOne } from './cancel-one.ts';
import { checkFilter } from './jobs/check-filter.ts';
import { COMPARED, type JobFilter, VALUE_FIELDS } from './jobs/job-filter.ts';
import { type MatchedRow, matchingPage } from './jobs/matching-rows.ts';
import { planOf } from './jobs/plan.ts';
import { msUntilPut } from './wait-for-put-window.ts';

/** Options of a cancel in bulk. */
export interface CancelWhereOptions {
  /** How many jobs the call cancels at most. Default 1,000, at most 100,000. */
  readonly limit?: number;
  /** Read units after which the call stops. Default 10,000. */
  readonly maxReadUnits?: number;
  /** Counts the matching jobs, within the limits, and writes nothing. */
  readonly dryRun?: boolean;
  /** As for `client.cancel`. */
  readonly reason?: string;
  /** As for `client.cancel`. */
  readonly actor?: string;
  /** The `next` of an earlier report, to continue where that call stopped. */
  readonly after?: string;
}

/** What a cancel in bulk did. */
export interface CancelWhereReport {
  /** Jobs that matched, by the state in which they were met. */
  readonly found: number;
  readonly states: Readonly<Partial<Record<Located['state'], number>>>;
  readonly cancelled: number;
  /** Running jobs without an earlier request: their handlers are signalled, and however their run ends, it ends as cancelled. */
  readonly requested: number;
  /** Jobs that ended in between, otherwise than by this call. */
  readonly ended: number;
  /** Jobs that no longer matched when their turn came. */
  readonly left: number;
  /** Jobs whose write failed, or whose row is unreadable; journalled. Repeat the call. */
  readonly failed: number;
  readonly readUnits: number;
  /** Where to continue, if a limit ended the call before every table was read. */
  readonly next?: string;
}

/** The verb that cancels in bulk. */
export interface CancelWhereVerb {
  /**
   * Cancels every waiting, ready, running or suspended job that matches, except those enqueued during the pass. Repeat it until it
   * finds nothing: a job that moved during the pass may have been missed. Dead letters are left alone.
   */
  cancelWhere(filter: JobFilter, options?: CancelWhereOptions): Promise<CancelWhereReport>;
}

const PARALLEL = 16;
const PAGE = 200;
const MOST = 100_000;
const LIVING: readonly JobState[] = ['waiting', 'parked', 'suspended', 'ready', 'running'];
type Counts = Record<'found' | Met | 'readUnits', number>;
type Met = 'cancelled' | 'requested' | 'ended' | 'left' | 'failed';

/** Called before the first job is cancelled, and with the number of cancelled jobs if an error ends the call after that. */
export interface CancelWatch {
  begins(): Promise<void>;
  fails(done: Pick<CancelWhereReport, 'cancelled' | 'requested'>): Promise<void>;
}

/** Cancels every job that matches, within its limits: reads the places that hold live jobs, then cancels each job by itself. */
export async function cancelWhere(
  deps: AdminDeps,
  filter: JobFilter,
  options: CancelWhereOptions = {},
  watch?: CancelWatch,
): Promise<CancelWhereReport> {
  checkOptions(options, ['limit', 'maxReadUnits', 'dryRun', 'reason', 'actor', 'after'], 'options');
  const meant = meantLiving(deps, filter);
  const plan = planOf(meant.filter, { now: meant.begun, historyDays: deps.deployment.settings.historyDays });
  const limit = checkCount(options.limit ?? 1_000, 'limit', MOST);
  const maxReadUnits = checkCount(options.maxReadUnits ?? 10_000, 'maxReadUnits', Number.MAX_SAFE_INTEGER);
  const [cancelReason, cancelledBy] = [checkText(options.reason, 'reason'), checkText(options.actor, 'actor')];
  const why = defined({ cancelReason, cancelledBy });
  const counts: Counts = { found: 0, cancelled: 0, requested: 0, ended: 0, left: 0, failed: 0, readUnits: 0 };
  const states: Partial<Record<Located['state'], number>> = {};
  let [next, isOver]: [string | undefined, boolean] = [options.after, false];
  let hasBegun = false;
  try {
    while (!isOver && counts.found - counts.failed < limit && counts.readUnits < maxReadUnits) {
      const room = { limit: Math.min(limit - counts.found + counts.failed, PAGE), maxReadUnits: maxReadUnits - counts.readUnits };
      const page = await matchingPage(deps.tables, plan, next, { ...room, withPayload: true });
      counts.readUnits += page.readUnits;
      const jobs = readPage(deps, page.rows, counts);
      for (const { state } of jobs) states[state] = (states[state] ?? 0) + 1;
      if (options.dryRun !== true && jobs.length > 0) {
        if (!hasBegun) await watch?.begins();
        hasBegun = true;
        const ms = msUntilPut(deps, page.rows);
        if (ms > 0) await deps.clock.wait(ms);
        await cancelPage(deps, jobs, { why, meant }, counts);
      }
      [next, isOver] = [page.next, page.next === undefined];
    }
  } catch (error) {
    if (hasBegun) await watch?.fails(counts);
    throw error;
  }
  return { ...counts, states, ...defined({ next }) };
}

/** The filter for jobs that can be cancelled. Refuses one that names nothing, which would mean every job, and one that means others. */
function meantLiving({ clock }: AdminDeps, filter: JobFilter): Meant {
  const checked = checkFilter(filter);
  if (!checked.namesSomething)
    throw new InvalidInputError('filter', new Described('{}'), 'Give a type, tenant, group, batch or another field.');
  const others = filter.state === undefined ? [] : checked.states.filter((state) => !LIVING.includes(state));
  if (others.length > 0) throw new InvalidInputError('state', others[0], `Use states of jobs that can be cancelled: ${LIVING.join(', ')}.`);
  const foreign = COMPARED.find((field) => checked.values[field] !== undefined && isOfEndedJobs(field));
  if (foreign !== undefined)
    throw new InvalidInputError(foreign, checked.values[foreign]?.[0], 'Leave it out: no job that can be cancelled has it.');
  const states = checked.states.filter((state) => LIVING.includes(state));
  return { filter: { ...checked, states }, since: undefined, begun: clock.now() };
}

const isOfEndedJobs = (field: (typeof COMPARED)[number]): boolean =>
  VALUE_FIELDS[field].states?.some((state) => LIVING.includes(state)) === false;

function checkCount(count: number, field: string, most: number): number {
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return count;
  throw new InvalidInputError(field, count, `Use a whole number from 1 to ${most}.`);
}

/** The jobs of a page, without those that were asked to stop before. */
function readPage(deps: AdminDeps, rows: readonly MatchedRow[], counts: Counts): readonly Located[] {
  const fresh = rows.filter(({ row }) => row['cancelRequested'] === undefined);
  counts.found += fresh.length;
  return fresh.flatMap((match) => {
    try {
      return [locatedRow(match)];
    } catch (error) {
      if (!(error instanceof RowUnreadableError)) throw error;
      counts.failed++;
      journalFailure(deps, error);
      return [];
    }
  });
}

/** Which jobs to cancel, and what their rows say of it. */
interface Terms {
  readonly meant: Meant;
  readonly why: CancelWhy;
}

async function cancelPage(deps: AdminDeps, jobs: readonly Located[], terms: Terms, counts: Counts): Promise<void> {
  await mapLimited(jobs, PARALLEL, async (found) => {
    counts[await cancelMet(deps, found, terms)]++;
  });
}

/** A job that the store does not answer for does not keep the others from being cancelled. */
async function cancelMet(deps: AdminDeps, found: Located, { meant, why }: Terms): Promise<Met> {
  try {
    const { id } = found.job;
    const outcome = await cancelOne({ ...deps, tables: matchesSelection(deps.tables, meant, id) }, id, why, found);
    return outcome === 'cancelled' ? outcome : outcome === 'cancel-requested' ? 'requested' : 'ended';
  } catch (error) {
    if (error instanceof NotMeantError) return error.isOfEnded ? 'ended' : 'left';
    if (!(error instanceof StoreUnavailableError)) throw error;
    journalFailure(deps, error);
    return 'failed';
  }
}

function journalFailure(deps: AdminDeps, error: unknown): void {
  deps.journal.record({ event: 'store-failed', reason: 'cancel-where', error: errorText(error, deps.clock.now()) });
}
