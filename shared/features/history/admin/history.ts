import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { attemptEntry, type FinishedEntry, finishedEntry, type JobHistory } from '../model/history-entry.ts';
import { type Instant, instantMs } from '../../../job/instant.ts';
import { checkJobId } from '../../../job/job-id.ts';
import { checkChosen, checkOptions } from '../../../job/names.ts';
import { listHistory, readJobHistory } from '../store/read-history.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';

/** Which finished jobs to list. Times are those at which the jobs were first due. */
export interface HistoryQuery {
  readonly type?: string;
  readonly tenant?: string;
  /** Inclusive; default as far back as History reaches. */
  readonly from?: Instant;
  /** Exclusive; default now. */
  readonly to?: Instant;
  /** 1 to 1,000; default 50. */
  readonly limit?: number;
  /** The `after` of the previous page. */
  readonly after?: string;
}

/** Finished jobs, newest first. With `after` there may be more, even behind an empty page. */
export interface HistoryListing {
  readonly jobs: readonly FinishedEntry[];
  readonly after?: string;
}

/** What `admin.history` takes: the id of one job, or what to list. */
export interface ReadHistory {
  (query: { readonly id: string }): Promise<JobHistory>;
  (query?: HistoryQuery): Promise<HistoryListing>;
}

const DAY_MS = 86_400_000;
const QUERY = ['type', 'tenant', 'from', 'to', 'limit', 'after'];

/** The reader of one deployment's History; with `tenant` of its jobs alone. */
export function historyReader(deps: OperatorDeps, tenant?: string): ReadHistory {
  const read = async (query: HistoryQuery | { readonly id: string } = {}): Promise<unknown> =>
    'id' in query ? oneJob(deps, query, tenant) : list(deps, tenant === undefined ? query : { ...query, tenant });
  return read as ReadHistory;
}

async function oneJob({ tables }: OperatorDeps, query: { readonly id: string }, tenant: string | undefined): Promise<JobHistory> {
  checkOptions(query, ['id'], 'query');
  const { id } = query;
  const { finished, attempts } = await readJobHistory(tables, checkJobId(id), tenant);
  return { id, ...(finished === undefined ? {} : { finished: finishedEntry(finished) }), attempts: attempts.map(attemptEntry) };
}

async function list({ tables, clock, deployment }: OperatorDeps, query: HistoryQuery): Promise<HistoryListing> {
  checkOptions(query, QUERY, 'query');
  const { limit = 50, after } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) {
    throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
  }
  if (after !== undefined && (typeof after !== 'string' || !/^[0-9a-f]{8}-[0-9a-f]{4}/.test(after))) {
    throw new InvalidInputError('after', after, 'Give the `after` of the previous page.');
  }
  const type = checkChosen(query.type, 'type');
  const tenant = checkChosen(query.tenant, 'tenant');
  const now = clock.now();
  const { jobs, after: next } = await listHistory(tables, {
    // A job that waited for retries is stored under the day on which it was first due.
    from: query.from === undefined ? now - (deployment.settings.historyDays + 31) * DAY_MS : instantMs(query.from, 'from'),
    until: query.to === undefined ? now + 1 : instantMs(query.to, 'to'),
    limit,
    ...defined({ type, tenant, after }),
  });
  return { jobs: jobs.map(finishedEntry), ...defined({ after: next }) };
}
