import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError, RowUnreadableError } from '../../shared/job/errors.ts';
import type { JobState } from '../../shared/job/job.ts';
import { checkJobId } from '../../shared/job/job-id.ts';
import { claimOf } from '../../shared/features/claim-check/model/claim.ts';
import { findRow, type FoundRow } from '../../shared/store/find-row.ts';
import { decodeDeadLetter } from '../../shared/store/job-codec.ts';
import { readQuarantined } from '../../shared/store/read-quarantined.ts';
import { locatedRow } from '../../shared/store/locate.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { checkFilter } from './check-filter.ts';
import { findByKey } from './find-by-key.ts';
import { deadTypes } from './types-of-dead-letters.ts';
import { type JobFilter, LIST_ORDERS, type ListOptions } from './job-filter.ts';
import type { JobView } from './job-view.ts';
import { liftedPayload } from './lifted-payload.ts';
import { matchingPage } from './matching-rows.ts';
import { type Plan, planOf, type PlanTerms } from './plan.ts';
import type { JobCounts, JobPage, ReadVerbs } from './read-verbs.ts';
import { viewOfRow } from './view-row.ts';

const MAX_UNITS = 1_000_000;
/** Rows that a count reads per request at first; it keeps none. */
const ROWS_AT_ONCE = 1_000;

/** What operators read of jobs; with a `tenant` those of all others are not there. */
export function readVerbs(deps: AdminDeps, tenant?: string): ReadVerbs {
  const own = <Filter extends JobFilter>(filter: Filter): Filter => (tenant === undefined ? filter : { ...filter, tenant });
  const find: ReadVerbs['find'] = async (id) => findJob(deps, id, tenant);
  return {
    find,
    findByKey: async (key, options = {}) => findByKey(deps, find, key, tenant === undefined ? options : { ...options, tenant }),
    list: async (options = {}) => listJobs(deps, own(options)),
    count: async (filter = {}) => countJobs(deps, own(filter)),
  };
}

/** Plans the reads for a filter, with this deployment's clock and History. Throws InvalidInputError. */
export function planFor(
  { clock, deployment }: Pick<AdminDeps, 'clock' | 'deployment'>,
  filter: JobFilter,
  { more = [], ...terms }: Pick<PlanTerms, 'ordered' | 'order' | 'deadTypes'> & { readonly more?: readonly string[] } = {},
): Plan {
  return planOf(checkFilter(filter, more), { now: clock.now(), historyDays: deployment.settings.historyDays, ...terms });
}

async function findJob({ tables, jobTypes }: AdminDeps, id: string, tenant: string | undefined): Promise<JobView | undefined> {
  const found = await findRow(tables, checkJobId(id));
  if (found === undefined || (tenant !== undefined && found.row['tenant'] !== tenant)) return undefined;
  const row = viewOfRow(found.table, found.row, true);
  const view: JobView = { ...row, ...defined({ claim: claimOf(row) }) };
  if (isUnreadable(found)) return { raw: JSON.stringify(found.row), ...view };
  if (view.reason === 'unreadable' && readQuarantined(decodeDeadLetter(found.row)) !== undefined) return { ...view, readable: true };
  const type = jobTypes?.get(view.type);
  return type === undefined ? view : { ...view, ...defined({ lifted: await liftedPayload(type, view) }) };
}

function isUnreadable(found: FoundRow): boolean {
  try {
    locatedRow(found);
    return false;
  } catch (error) {
    if (error instanceof RowUnreadableError) return true;
    throw error;
  }
}

async function listJobs(deps: AdminDeps, options: ListOptions): Promise<JobPage> {
  const more = ['order', 'limit', 'after', 'maxReadUnits'];
  const { order } = options;
  checkListOrder(order);
  const dead = await deadTypes(deps.tables, checkFilter(options, more));
  const plan = planFor(deps, options, {
    ordered: true,
    more,
    ...defined({ order }),
    ...(dead === undefined ? {} : { deadTypes: dead.types }),
  });
  const limit = checkCount(options.limit ?? 100, 'limit', 1_000);
  const maxReadUnits = checkCount(options.maxReadUnits ?? 1_000, 'maxReadUnits', MAX_UNITS);
  const { rows, ...page } = await matchingPage(deps.tables, plan, options.after, { limit, maxReadUnits });
  return { jobs: rows.map(({ table, row }) => viewOfRow(table, row)), ...page, readUnits: page.readUnits + (dead?.readUnits ?? 0) };
}

function checkListOrder(order: unknown): void {
  if (order === undefined || (LIST_ORDERS as readonly unknown[]).includes(order)) return;
  throw new InvalidInputError('order', order, `Use one of ${LIST_ORDERS.join(', ')}.`);
}

async function countJobs(deps: AdminDeps, filter: JobFilter & { readonly maxReadUnits?: number }): Promise<JobCounts> {
  const plan = planFor(deps, filter, { more: ['maxReadUnits'] });
  const most = checkCount(filter.maxReadUnits ?? 10_000, 'maxReadUnits', MAX_UNITS);
  const counts: Record<JobState, number> = { waiting: 0, parked: 0, ready: 0, running: 0, suspended: 0, dead: 0, finished: 0 };
  let total = 0;
  const { next, readUnits } = await matchingPage(deps.tables, plan, undefined, {
    limit: ROWS_AT_ONCE,
    maxReadUnits: most,
    onMatch({ state }) {
      counts[state]++;
      total++;
    },
  });
  return { ...counts, total, complete: next === undefined, readUnits };
}

function checkCount(count: number, field: string, most: number): number {
  if (Number.isSafeInteger(count) && count >= 1 && count <= most) return count;
  throw new InvalidInputError(field, count, `Use a whole number from 1 to ${most}.`);
}
