import { defined } from '../../../job/defined.ts';
import { type Duration, durationMs } from '../../../job/duration.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { type Instant, instantMs } from '../../../job/instant.ts';
import { MAX_CLOCK_SKEW_MS, RULES_TTL_MS } from '../../../job/lease.ts';
import { checkFlag, checkOptions, checkPriority, checkText } from '../../../job/names.ts';
import {
  isInForce,
  type PriorityRule,
  type PriorityScope,
  priorityScope,
  scopesOf,
  type SuspensionScope,
  suspensionScope,
  tenantOfScope,
  workerOfScope,
} from '../model/rules.ts';
import { endSuspension, putPriority, putSuspension, removePriority, type RuleChange } from '../store/change-rules.ts';
import { priorityKey, readRules, suspensionKey } from '../store/rules.ts';
import { actorOf } from '../../../operator/act.ts';
import type { OperatorDeps } from '../../../operator/operator-deps.ts';
import { recordWrites } from '../../operator-records.ts';

/** Options of a suspension. */
export interface SuspendOptions {
  /** Why. Kept with the suspension and in the audit. */
  readonly reason: string;
  /** The actor. Default: that of the admin. */
  readonly actor?: string;
  /** When the suspension begins. Default: now; executors apply it within seconds. */
  readonly from?: Instant;
  /** When the suspension ends by itself. Default: not at all. */
  readonly until?: Instant | { readonly for: Duration };
  /** Only jobs that are created after `from`, or after now without it; older ones go on. Default: all jobs. */
  readonly newJobsOnly?: boolean;
}

/** A suspension in a list. `scheduled`: its `from` is in the future; `over`: its `until` has passed, and it has no effect. */
export interface ListedSuspension {
  readonly scope: string;
  readonly reason: string;
  readonly actor: string;
  readonly state: 'in-force' | 'scheduled' | 'over';
  readonly at: Date;
  readonly from?: Date;
  readonly until?: Date;
  /** Only jobs created after that are suspended; absent: those that were there before too. */
  readonly createdAfter?: Date;
}

/** A run-time priority in a list; `default`: for jobs without another source of priority. */
export interface ListedPriority {
  readonly scope: string;
  readonly priority: number;
  readonly actor: string;
  readonly at: Date;
  readonly cascade: boolean;
  readonly default: boolean;
}

/** Rules that operators set at run time. Executors apply them within five seconds; they survive deployments. */
export interface RuleVerbs {
  /**
   * Stops jobs of the scope from starting. They move to Suspended when they are received; their counters do not change. Running jobs continue.
   * With `newJobsOnly` those continue that were created before. Refuses a type on a worker that the deployment does not have.
   */
  suspend(scope: SuspensionScope, options: SuspendOptions): Promise<void>;
  /** Ends a suspension; the sweeper resumes its jobs, oldest first, at the given rate or as fast as it can. */
  resume(
    scope: SuspensionScope,
    options?: { readonly ratePerSecond?: number; readonly actor?: string; readonly reason?: string },
  ): Promise<'resumed' | 'not-suspended'>;
  suspensions(): Promise<readonly ListedSuspension[]>;
  /**
   * A priority for the jobs of a type or tenant that are created from now on, with `cascade` also for those that are there. `default`
   * makes it what a tenant's jobs get that have none from their options or type.
   */
  overridePriority(
    scope: PriorityScope,
    priority: number,
    options?: { readonly cascade?: boolean; readonly default?: boolean; readonly actor?: string; readonly reason?: string },
  ): Promise<void>;
  /** Takes such a priority away. Jobs that it moved to another lane keep it. */
  clearPriority(
    scope: PriorityScope,
    options?: { readonly default?: boolean; readonly actor?: string; readonly reason?: string },
  ): Promise<'cleared' | 'not-set'>;
  priorities(): Promise<readonly ListedPriority[]>;
}

/** Creates the verbs; with a `tenant` they refuse every scope but that tenant's own. */
export function ruleVerbs(deps: OperatorDeps, tenant?: string): RuleVerbs {
  const { tables, clock } = deps;
  const mine = (scope: string): boolean => tenant === undefined || tenantOfScope(scope) === tenant;
  return {
    suspend: async (given, options) => suspend(deps, owned(suspensionScope(given), tenant), options),
    resume: async (given, options = {}) => resume(deps, owned(suspensionScope(given), tenant), options),
    overridePriority: async (given, priority, options = {}) => {
      checkOptions(options, ['cascade', 'default', 'actor', 'reason'], 'options');
      const rule: PriorityRule = {
        scope: owned(priorityScope(given, options.default === true), tenant),
        priority: checkPriority(priority),
        actor: actorOf(deps, options.actor),
        at: clock.now(),
        cascade: options.cascade === true,
      };
      await putPriority(tables, rule, changeOf(deps, 'overridePriority', { ...rule, ...options, detail: String(rule.priority) }));
    },
    clearPriority: async (given, options = {}) => {
      checkOptions(options, ['default', 'actor', 'reason'], 'options');
      const scope = owned(priorityScope(given, options.default === true), tenant);
      if ((await tables.get('control', priorityKey(scope))) === undefined) return 'not-set';
      await removePriority(tables, scope, changeOf(deps, 'clearPriority', { ...options, scope }));
      return 'cleared';
    },
    async suspensions() {
      const now = clock.now();
      const { suspensions } = (await readRules(tables, true)).rules;
      return [...suspensions.values()]
        .filter(({ scope }) => mine(scope))
        .map(({ at, from, until, createdAfter, ...context }) => ({
          ...context,
          state: isInForce({ ...context, at, ...defined({ from, until }) }, now)
            ? 'in-force'
            : until !== undefined && until <= now
              ? 'over'
              : 'scheduled',
          at: new Date(at),
          ...(from === undefined ? {} : { from: new Date(from) }),
          ...(until === undefined ? {} : { until: new Date(until) }),
          ...(createdAfter === undefined ? {} : { createdAfter: new Date(createdAfter) }),
        }));
    },
    async priorities() {
      const { priorities } = (await readRules(tables, true)).rules;
      return [...priorities.values()]
        .filter(({ scope }) => mine(scope))
        .map((rule) => ({
          ...rule,
          scope: rule.scope.replace(/^tenant-default#/, 'tenant#'),
          at: new Date(rule.at),
          default: rule.scope.startsWith('tenant-default#'),
        }));
    },
  };
}

async function suspend(deps: OperatorDeps, given: string, options: SuspendOptions): Promise<void> {
  checkOptions(options, ['reason', 'actor', 'from', 'until', 'newJobsOnly'], 'options');
  checkWorkerOf(deps, given);
  const [scope, ...former] = scopesOf(given, deps.deployment.workers);
  const at = deps.clock.now();
  const reason = checkText(options.reason, 'reason');
  if (reason === undefined)
    throw new InvalidInputError('reason', options.reason, 'Give a reason, for everyone who finds the jobs waiting.');
  const from = options.from === undefined ? undefined : instantMs(options.from, 'from');
  const until = untilOf(options.until, Math.max(at, from ?? at));
  if (until !== undefined && until <= Math.max(at, from ?? at)) {
    throw new InvalidInputError('until', options.until, 'Use a time after now and after `from`.');
  }
  const newJobsOnly = checkFlag(options.newJobsOnly, 'newJobsOnly');
  const suspension = {
    scope,
    reason,
    actor: actorOf(deps, options.actor),
    at,
    ...(from === undefined || from <= at ? {} : { from }),
    ...defined({ until }),
    ...(newJobsOnly ? { createdAfter: from ?? at } : {}),
  };
  const detail = newJobsOnly ? { detail: 'new jobs only' } : {};
  await putSuspension(deps.tables, suspension, former, changeOf(deps, 'suspend', { ...suspension, ...detail }));
}

function untilOf(until: SuspendOptions['until'], start: number): number | undefined {
  if (until === undefined) return undefined;
  if (typeof until === 'object' && until !== null && 'for' in until) {
    checkOptions(until, ['for'], 'until');
    return start + durationMs(until.for, 'until.for');
  }
  return instantMs(until, 'until');
}

async function resume(
  deps: OperatorDeps,
  given: string,
  options: { readonly ratePerSecond?: number; readonly actor?: string; readonly reason?: string },
): Promise<'resumed' | 'not-suspended'> {
  checkOptions(options, ['ratePerSecond', 'actor', 'reason'], 'options');
  const { ratePerSecond } = options;
  if (ratePerSecond !== undefined && !(typeof ratePerSecond === 'number' && ratePerSecond > 0 && ratePerSecond <= MAX_A_SECOND)) {
    throw new InvalidInputError('ratePerSecond', ratePerSecond, `Use jobs a second, more than 0 and at most ${MAX_A_SECOND}.`);
  }
  const scopes = scopesOf(given, deps.deployment.workers);
  const rows = await Promise.all(scopes.map((scope) => deps.tables.get('control', suspensionKey(scope))));
  if (rows.every((row) => row === undefined)) return 'not-suspended';
  const now = deps.clock.now();
  const releaseFrom = now + RULES_TTL_MS + MAX_CLOCK_SKEW_MS;
  const detail = ratePerSecond === undefined ? {} : { detail: `${ratePerSecond} a second` };
  const release = { now, releaseFrom, ...defined({ ratePerSecond }) };
  await endSuspension(deps.tables, scopes, release, changeOf(deps, 'resume', { ...options, ...detail, scope: scopes[0] }));
  return 'resumed';
}

const MAX_A_SECOND = 10_000;

/** A misspelt worker would silently have no effect. Rules of a removed worker can still be lifted. */
function checkWorkerOf({ deployment }: OperatorDeps, scope: string): void {
  const { worker } = workerOfScope(scope) ?? {};
  if (worker === undefined || deployment.workers.has(worker)) return;
  throw new InvalidInputError('scope.worker', worker, `This deployment has: ${[...deployment.workers.keys()].join(', ')}.`);
}

function owned(scope: string, tenant: string | undefined): string {
  if (tenant === undefined || tenantOfScope(scope) === tenant) return scope;
  throw new InvalidInputError('scope', scope, 'This admin works for one tenant: use { tenant } with its own name.');
}

function changeOf(
  deps: OperatorDeps,
  verb: string,
  context: { readonly scope: string; readonly actor?: string; readonly reason?: string; readonly detail?: string },
): RuleChange {
  const { scope, detail } = context;
  const reason = checkText(context.reason, 'reason');
  const tenant = tenantOfScope(scope);
  const token = deps.entropy.token();
  const act = { verb, scope, at: deps.clock.now(), actor: actorOf(deps, context.actor), ...defined({ reason, detail, tenant }) };
  return { verb, scope, token, records: recordWrites(act, token) };
}
