import { defined } from '../../shared/job/defined.ts';
import { Described, InvalidInputError } from '../../shared/job/errors.ts';
import { checkJobId, makeJobId } from '../../shared/job/job-id.ts';
import { checkChosen, checkFlag, checkOptions, checkText, checkTypeName } from '../../shared/job/names.ts';
import { recordWrites } from '../../shared/features/operator-records.ts';
import { actorOf } from '../../shared/operator/act.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { checkHooks } from '../bulk/bulk-request.ts';
import type { EraseOptions, EraseScope, ErasureReport, EraseVerbs, TenantEraseVerbs } from './erasure.ts';
import { beginErasure, readErasure, readErasures, readSteps, saveErasure } from './erasure-rows.ts';
import { erasureAudit, type ErasureState, newErasure, reportOf } from './erasure-state.ts';
import { PLACES } from './erase-places.ts';
import { type ErasureTerms, runErasure, TakenOverError } from './run-erasure.ts';

const OPTIONS = [
  'apply',
  'cancelLive',
  'ratePerSecond',
  'actor',
  'reason',
  'onBegin',
  'onProgress',
  'signal',
] as const satisfies readonly (keyof EraseOptions)[];
const RESUME_OPTIONS = ['ratePerSecond', 'actor', 'onBegin', 'onProgress', 'signal'];
const DEFAULT_RATE = 200;
const MAX_RATE = 100_000;

/** Creates the verbs of erasing for a whole deployment. */
export function eraseVerbs(deps: AdminDeps): EraseVerbs {
  return {
    ...tenantEraseVerbs(deps),
    async erasures(options = {}) {
      checkOptions(options, ['limit', 'before'], 'options');
      const before = options.before === undefined ? undefined : checkId(options.before, 'before');
      return (await readErasures(deps.tables, checkLimit(options.limit ?? 20), before)).map(reportOf);
    },
  };
}

/** With a `tenant` they erase nothing of others, and know no erasure of another scope. */
export function tenantEraseVerbs(deps: AdminDeps, tenant?: string): TenantEraseVerbs {
  const read = async (id: string): Promise<ErasureState | undefined> => {
    const state = await readErasure(deps.tables, checkId(id));
    return tenant === undefined || state?.scope.tenant === tenant ? state : undefined;
  };
  return {
    erase: async (scope, options = {}) => erase(deps, scopeOf(scope, tenant), options),
    async resumeErasure(id, options = {}) {
      checkOptions(options, RESUME_OPTIONS, 'options');
      checkHooks(options);
      const ratePerSecond = options.ratePerSecond === undefined ? undefined : checkRate(options.ratePerSecond);
      const actor = actorOf(deps, options.actor);
      const seen = await read(id);
      if (seen === undefined || seen.status === 'done') return seen === undefined ? undefined : reportOf(seen);
      const { onProgress, signal } = options;
      return resume(deps, seen, { isDry: false, actor, ...defined({ ratePerSecond, onProgress, signal }) }, options.onBegin);
    },
    async erasure(id) {
      const state = await read(id);
      return state === undefined ? undefined : reportOf(state);
    },
    async erasedJobs(id, options = {}) {
      checkOptions(options, ['limit', 'after'], 'options');
      const after = options.after === undefined ? undefined : checkId(options.after, 'after');
      const limit = checkLimit(options.limit ?? 100);
      return (await read(id)) === undefined ? { steps: [] } : readSteps(deps.tables, id, limit, after);
    },
  };
}

async function erase(deps: AdminDeps, scope: EraseScope, options: EraseOptions): Promise<ErasureReport> {
  checkOptions(options, OPTIONS, 'options');
  checkHooks(options);
  const { clock, entropy, tables } = deps;
  const isDry = checkFlag(options.apply, 'apply') !== true;
  const reason = checkText(options.reason, 'reason');
  if (!isDry && reason === undefined) throw new InvalidInputError('reason', options.reason, 'Say why: the audit keeps it as proof.');
  const startedAt = clock.now();
  const state = newErasure({
    id: makeJobId(startedAt, entropy.bytes(10)),
    scope,
    actor: actorOf(deps, options.actor),
    ...defined({ reason }),
    ...(isDry ? { isDry } : {}),
    cancelLive: checkFlag(options.cancelLive, 'cancelLive') ?? false,
    ratePerSecond: options.ratePerSecond === undefined ? DEFAULT_RATE : checkRate(options.ratePerSecond),
    startedAt,
    status: isDry ? 'dry-run' : 'running',
    place: PLACES[0]?.name ?? '',
  });
  const { onProgress, signal } = options;
  if (!isDry) {
    await beginErasure(tables, state, recordWrites(erasureAudit(state, startedAt, 'began'), entropy.token()));
    options.onBegin?.(state.id);
  }
  return go(deps, state, { isDry, ...defined({ onProgress, signal }) });
}

/** Takes the erasure over with a write that makes any other process stop at its next one. */
async function resume(deps: AdminDeps, state: ErasureState, terms: ErasureTerms, onBegin?: (id: string) => void): Promise<ErasureReport> {
  const { clock, entropy, tables } = deps;
  const now = clock.now();
  state.status = 'running';
  state.steps++;
  state.updatedAt = now;
  const entry = { ...erasureAudit(state, now, 'resumed'), ...defined({ actor: terms.actor }) };
  const audit = recordWrites(entry, entropy.token());
  const taken = await saveErasure(tables, state, { token: entropy.token(), ids: [], removes: [], audit });
  if (!taken.applied) return reportOf((await readErasure(tables, state.id)) ?? state);
  onBegin?.(state.id);
  return go(deps, state, terms);
}

async function go(deps: AdminDeps, state: ErasureState, terms: ErasureTerms): Promise<ErasureReport> {
  try {
    await runErasure(deps, state, terms);
    return reportOf(state);
  } catch (error) {
    if (!(error instanceof TakenOverError)) throw error;
    return reportOf((await readErasure(deps.tables, state.id)) ?? state);
  }
}

function scopeOf(given: EraseScope, own: string | undefined): EraseScope {
  checkOptions(given, ['id', 'type', 'tenant'], 'scope');
  const id = given.id === undefined ? undefined : checkJobId(given.id);
  const type = given.type === undefined ? undefined : checkTypeName(given.type);
  const tenant = checkChosen(given.tenant, 'tenant');
  if (own !== undefined && tenant !== undefined && tenant !== own) {
    throw new InvalidInputError('tenant', tenant, 'This admin works for one tenant: leave the field out.');
  }
  const scope = defined({ id, type, tenant: own ?? tenant });
  if (Object.keys(scope).length > 0) return scope;
  throw new InvalidInputError('scope', new Described('{}'), 'Name a job by its id, a type, a tenant, or a type and a tenant.');
}

function checkRate(rate: unknown): number {
  if (typeof rate === 'number' && Number.isFinite(rate) && rate >= 0.01 && rate <= MAX_RATE) return rate;
  throw new InvalidInputError('ratePerSecond', rate, `Use a number of rows from 0.01 to ${MAX_RATE}.`);
}

function checkLimit(limit: unknown): number {
  if (Number.isSafeInteger(limit) && Number(limit) >= 1 && Number(limit) <= 1_000) return Number(limit);
  throw new InvalidInputError('limit', limit, 'Use a whole number from 1 to 1000.');
}

function checkId(id: unknown, field = 'id'): string {
  if (typeof id === 'string' && id.length > 0 && id.length <= 64) return id;
  throw new InvalidInputError(field, id, 'Give the id of an erasure, as shown in its report and by `erasures`.');
}
