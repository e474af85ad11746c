import type { ErrorGroupPage } from '../../shared/features/error-groups/admin/error-group.ts';
import type { JobCounts } from '../../operate/jobs/read-verbs.ts';
import type { Heartbeat } from '../../operate/heartbeats.ts';
import type { PageRequest } from '../page.ts';
import { remembered } from '../remembered.ts';

/** Error groups per read; a smaller limit reads as many rows, because they are sorted by when they were last seen. */
const MAX_GROUPS = 1_000;
const OFTEN_MS = 2_000;
/** For figures that cost more reads. */
export const SELDOM_MS = 15_000;
const COUNT_MS = 60_000;

/** Reads a figure, at most once in `ttlMs` for all parts of all pages. */
export const look = async <Value>({ admin, now }: PageRequest, key: string, ttlMs: number, load: () => Promise<Value>): Promise<Value> =>
  remembered({ owner: admin, key, ttlMs, now: now() }, load);

/** Open error groups, those that were seen last first; at most every 15 s. */
export async function openGroups(request: PageRequest): Promise<ErrorGroupPage> {
  return look(request, 'open-groups', SELDOM_MS, async () => request.admin.errorGroups({ state: 'open', limit: MAX_GROUPS }));
}

/** Heartbeats, once for all parts of a page. */
export async function heartbeatsOf(request: PageRequest): Promise<readonly Heartbeat[]> {
  return look(request, 'heartbeats', OFTEN_MS, async () => request.admin.heartbeats());
}

/** All jobs, counted in the tables: at most every minute, and only on request. A page that refreshes itself gets the last count. */
export async function countNow(request: PageRequest): Promise<JobCounts> {
  const ttlMs = request.refresh === true ? Number.POSITIVE_INFINITY : COUNT_MS;
  return look(request, 'count', ttlMs, async () => request.admin.count());
}
