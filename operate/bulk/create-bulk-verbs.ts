import { defined } from '../../shared/job/defined.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { type JobId, makeJobId } from '../../shared/job/job-id.ts';
import { checkOptions } from '../../shared/job/names.ts';
import { beginBulk, type BulkRow, readBulk, readBulks, readMet, saveBulk, takeBulk } from './bulk-rows.ts';
import { actorOf } from '../../shared/operator/act.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { checkFilter } from '../jobs/check-filter.ts';
import { recordWrites } from '../../shared/features/operator-records.ts';
import { verbNamed } from '../verbs.ts';
import { meantBy, previewOf } from './act-on-job.ts';
import { bulkRequest, checkHooks, checkRate } from './bulk-request.ts';
import { type BulkState, newBulk, reportOf, reportOfRow, rowOf, stateOf } from './bulk-state.ts';
import type { BulkReport, BulkSample, BulkVerbs } from './bulk-verbs.ts';
import { BULK_LEASE_MS, bulkAct, TakenOverError } from './bulk-writer.ts';
import { type BulkRun, runBulk } from './run-bulk.ts';

/** The verbs for everything that matches a filter. */
export function bulkVerbs(deps: AdminDeps): Pick<BulkVerbs, 'bulk' | 'resumeBulk' | 'bulkReport' | 'bulks'> {
  return {
    async bulk(action, filter, options = {}) {
      const { clock, entropy, tables } = deps;
      const startedAt = clock.now();
      const given = bulkRequest(action, filter, options, startedAt);
      const verb = verbNamed(given.action.verb);
      const request = { ...given, action: verb.checkIn?.(deps, given.action) ?? given.action };
      const status = options.dryRun === true ? 'dry-run' : 'running';
      const actor = actorOf(deps, options.actor);
      const state = newBulk(request, { id: makeJobId(startedAt, entropy.bytes(10)), actor, startedAt, status });
      const hooks = hooksOf(options);
      if (status === 'dry-run') {
        const met = new Set<JobId>();
        await runBulk(deps, state, { ...hooks, met, doubt: [] });
        return { ...reportOf(state), ...defined({ sample: await sampleOf(deps, state, met) }) };
      }
      const owner = entropy.token();
      const records = recordWrites(bulkAct(state, startedAt, `began${verb.title?.(request.action, String) ?? ''}`), entropy.token());
      await beginBulk(tables, { row: rowOf(state, { owner, until: startedAt + BULK_LEASE_MS }), records });
      return go(deps, state, { ...hooks, owner, met: new Set(), doubt: [] }, () => options.onBegin?.(state.id));
    },
    async resumeBulk(id, options = {}) {
      checkOptions(options, ['onBegin', 'onProgress', 'signal', 'ratePerSecond', 'actor'], 'options');
      checkHooks(options);
      const ratePerSecond = options.ratePerSecond === undefined ? {} : { ratePerSecond: checkRate(options.ratePerSecond) };
      const actor = actorOf(deps, options.actor);
      const seen = await readBulk(deps.tables, checkId(id));
      if (seen === undefined) return undefined;
      const owner = deps.entropy.token();
      const state = await takeOver(deps, seen, { owner, actor });
      if (state === undefined) return reportOfRow((await readBulk(deps.tables, id)) ?? seen);
      const { met, of: doubt } = await readMet(deps.tables, id, state.unsettled?.step);
      const run = { ...hooksOf(options), ...ratePerSecond, owner, actor, met, doubt };
      return go(deps, state, run, () => options.onBegin?.(state.id));
    },
    async bulkReport(id) {
      const row = await readBulk(deps.tables, checkId(id));
      return row === undefined ? undefined : reportOfRow(row);
    },
    async bulks(options = {}) {
      checkOptions(options, ['limit', 'before'], 'options');
      const { limit = 20, before } = options;
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > 1_000) {
        throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
      }
      return (await readBulks(deps.tables, limit, before === undefined ? undefined : checkId(before, 'before'))).flatMap(readable);
    },
  };
}

/** The first job that matched, for a verb that shows what it would do. */
async function sampleOf(
  deps: AdminDeps,
  { action, filter, startedAt }: BulkState,
  met: ReadonlySet<JobId>,
): Promise<BulkSample | undefined> {
  const [first] = met;
  if (first === undefined) return undefined;
  return previewOf(deps, action, meantBy(action, checkFilter(filter), startedAt), first);
}

function hooksOf({ onProgress, signal }: Pick<BulkRun, 'onProgress' | 'signal'>): Pick<BulkRun, 'onProgress' | 'signal'> {
  return defined({ onProgress, signal });
}

/** An unreadable row does not hide the others. */
function readable(row: BulkRow): readonly BulkReport[] {
  try {
    return [reportOfRow(row)];
  } catch {
    return [];
  }
}

function checkId(id: unknown, field = 'id'): string {
  if (typeof id === 'string' && id.length > 0 && id.length <= 64) return id;
  throw new InvalidInputError(field, id, 'Give the id of a bulk action, as shown in its report and by `bulks`.');
}

/** Runs to the end. After a lost lease, returns the report of the new holder. After an error, `resumeBulk` may continue at once. */
async function go(deps: AdminDeps, state: BulkState, run: BulkRun & { readonly owner: string }, begun?: () => void): Promise<BulkReport> {
  try {
    begun?.();
    await runBulk(deps, state, run);
    return reportOf(state);
  } catch (error) {
    if (!(error instanceof TakenOverError)) {
      await letGo(deps, state.id, run.owner);
      throw error;
    }
    const row = await readBulk(deps.tables, state.id);
    return row === undefined ? reportOf(state) : reportOfRow(row);
  }
}

/** Releases the lease, so that another process may continue from the last recorded step. If this fails, it may when the lease has expired. */
async function letGo({ tables, clock }: AdminDeps, id: string, owner: string): Promise<void> {
  try {
    const row = await readBulk(tables, id);
    if (row?.lockOwner !== owner) return;
    const state: BulkState = { ...stateOf(row), steps: row.steps + 1, updatedAt: clock.now() };
    await saveBulk(tables, { row: rowOf(state), met: [], records: [] }, owner);
  } catch {
    // The error that ended the run is the one to report.
  }
}

/** Undefined if there is nothing to continue, or another process is running it. */
async function takeOver(
  deps: AdminDeps,
  seen: BulkRow,
  { owner, actor }: { readonly owner: string; readonly actor: string },
): Promise<BulkState | undefined> {
  const { clock, entropy, tables } = deps;
  const [now, before] = [clock.now(), stateOf(seen)];
  if (before.status !== 'running' && before.status !== 'stopped') return undefined;
  if (seen.lockOwner !== undefined && (seen.lockExpiresAt ?? 0) > now) return undefined;
  const state: BulkState = { ...before, status: 'running', updatedAt: now };
  const records = recordWrites({ ...bulkAct(state, now, `resumed after ${state.done} done`), actor }, entropy.token());
  const taken = await takeBulk(tables, seen, { row: rowOf(state, { owner, until: now + BULK_LEASE_MS }), met: [], records });
  return taken ? state : undefined;
}
