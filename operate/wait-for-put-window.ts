import { MAX_CLOCK_SKEW_MS, UNFENCED_WRITE_WINDOW_MS } from '../shared/job/lease.ts';
import { checkJobId, dueAtOf } from '../shared/job/job-id.ts';
import type { FoundRow } from '../shared/store/find-row.ts';
import { idKey, timerKey } from '../shared/store/rows.ts';
import type { AdminDeps } from './admin-deps.ts';

/** How long after a job's creation a producer whose reply was lost may put it again, by any clock within the skew. */
export const PUT_WINDOW_MS = UNFENCED_WRITE_WINDOW_MS + MAX_CLOCK_SKEW_MS;

/**
 * Milliseconds until none of these rows can be put again by a producer that does not know that they exist: nothing fences
 * its put, so it would bring back what was cancelled and undo what was changed. Only the first revision of a job is put like that.
 * One that is not known counts as created at `begun`.
 */
export function msUntilPut({ clock, putWindowMs }: AdminDeps, rows: readonly (PutRow | undefined)[], begun = 0): number {
  if (putWindowMs === undefined) return 0;
  const now = clock.now();
  const created = rows.flatMap((one) => (one === undefined ? begun : isFirst(one) ? Date.parse(String(one.row['createdAt'])) : []));
  const left = created.map((at) => at + putWindowMs - now).filter((ms) => ms > 0);
  // A clock that is ahead dates a put later than it was.
  return Math.min(Math.max(0, ...left), putWindowMs);
}

type PutRow = Pick<FoundRow, 'table' | 'row'>;

/** Waits as long for a verb on one job. Costs a read or two for a job that was due a moment ago or is not yet, nothing for others. */
export async function waitForPutWindow(deps: AdminDeps, given: string): Promise<void> {
  const { tables, clock, putWindowMs, unaudited } = deps;
  const id = checkJobId(given);
  // A bulk action has waited for all of its step; a job is not created after its first due time.
  if (putWindowMs === undefined || unaudited === true || dueAtOf(id) + putWindowMs < clock.now()) return;
  const ready = await tables.get('jobs', idKey(id));
  const row = ready ?? (await tables.get('timers', timerKey(id)));
  if (row === undefined) return;
  const ms = msUntilPut(deps, [{ table: ready === undefined ? 'timers' : 'jobs', row }]);
  if (ms > 0) await clock.wait(ms);
}

/** A put with a key or for a batch is a transaction, which is repeated safely. */
function isFirst({ table, row }: PutRow): boolean {
  return (table === 'jobs' || table === 'timers') && row['rev'] === 1 && row['key'] === undefined && row['batch'] === undefined;
}
