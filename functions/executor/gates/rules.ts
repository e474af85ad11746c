import { errorText } from '../../../shared/job/error-text.ts';
import { tenantHash } from '../../../shared/job/hash.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { RULES_TTL_MS } from '../../../shared/job/lease.ts';
import { type Rules, priorityFor, suspensionFor, causeForLogs } from '../../../shared/features/rules/model/rules.ts';
import { unknownRules } from '../../../shared/features/rules/model/unknown-rules.ts';
import { readRules } from '../../../shared/features/rules/store/rules.ts';
import { lockGroup } from '../../../shared/job/hint.ts';
import { laneInUse, laneOfJob } from '../../../shared/job/lanes.ts';
import { runAgain } from '../../../shared/store/run-again.ts';
import { sendHints } from '../../../shared/store/send-hints.ts';
import type { CancelAsked, Lost } from '../../../shared/store/transact-while-leased.ts';
import { listCause, suspend } from '../../../shared/store/suspend.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import type { RulesCache, RulesPorts } from '../deps.ts';
import type { ExecutorInvocation } from '../invocation.ts';
import { ifCancelled, note, type Candidate, type Gate } from '../held-job.ts';
import type { Disposition } from '../receive.ts';

/** Applies the operators' rules: a suspended job moves to Suspended, one with an overridden priority to that priority's lane, once. */
export const rulesGate: Gate = async (invocation, candidate) => {
  const { deps } = invocation;
  const rules = await deps.rules.current(deps);
  const suspension = suspensionFor(candidate.job, rules, deps.clock.now(), deps.deployment.workers);
  return suspension === undefined ? toItsLane(invocation, candidate, rules) : suspendClaimed(invocation, candidate, suspension.scope);
};

/** Changes no counter: the job was claimed but never started. */
async function suspendClaimed({ deps }: ExecutorInvocation, { job }: Candidate, cause: string): Promise<Disposition> {
  const now = deps.clock.now();
  await deps.rules.listOnce(cause, now, () => listCause(deps.tables, cause, now));
  const moved = await suspend(deps.tables, job, { cause, now });
  if (moved.result === 'suspended') note(deps, job, 'suspended', { reason: causeForLogs(cause) });
  else await afterRefusal(deps, job, moved);
  return 'acknowledge';
}

/** Grouped jobs have one queue for all priorities. */
async function toItsLane({ deps }: ExecutorInvocation, { job }: Candidate, rules: Rules): Promise<'pass' | Disposition> {
  const given = priorityFor(job, rules);
  const queues = deps.deployment.workers.get(job.worker);
  if (given === undefined || queues === undefined || lockGroup(job) !== undefined) return 'pass';
  const lane = laneOfJob({ kind: job.kind, priority: given.priority }, queues);
  if (lane === laneInUse(job.lane, job.priority, queues)) return 'pass';
  const now = deps.clock.now();
  const terms = { token: deps.entropy.token(), now, redispatchAfterMs: deps.deployment.settings.redispatchAfterMs };
  const set = { lane, priority: given.priority, priorityFrom: given.from };
  const back = await runAgain(deps.tables, job, { sameAttempt: true, set }, terms);
  if (back.result === 'ready') {
    note(deps, job, 'rerouted', { reason: lane });
    await sendHints(deps, [back.job], now);
  } else await afterRefusal(deps, job, back);
  return 'acknowledge';
}

async function afterRefusal(deps: ExecutorInvocation['deps'], job: Candidate['job'], answer: Lost | CancelAsked): Promise<void> {
  if (!(await ifCancelled(deps, job, answer))) note(deps, job, 'lost-lease');
}

const RETRY_READ_MS = 1_000;
/** Far less than the time after which the sweeper forgets an unused cause. */
const LISTED_MS = 60_000;
const MAX_LISTED = 1_000;

/** A rule in the log: its sort key, with a hash for the name of a tenant. */
const ruleCode = (sort: string): string =>
  sort.replace(/#(tenant(?:-default)?)#(.*)$/su, (_all, kind: string, tenant: string) => `#${kind}#${tenantHash(tenant)}`);

/** Tells which rules this version cannot apply, each once: `reported` remembers it. */
function reportUnknown(rules: Rules, reported: Set<string>, journal: Journal): void {
  for (const sort of unknownRules(rules)) {
    if (reported.has(sort)) continue;
    reported.add(sort);
    journal.record({ event: 'unknown-rules', reason: ruleCode(sort) });
  }
}

/** Creates an empty cache. One per sandbox. */
export function createRulesCache(ttlMs = RULES_TTL_MS): RulesCache {
  const causes = new Map<string, { readonly at: number; readonly listed: Promise<void> }>();
  let known: { readonly rules: Rules; readonly readAt: number } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Rules> | undefined;
  const reported = new Set<string>();
  const since = (from: number, now: number, ms: number): boolean => now >= from && now - from < ms;

  const read = async ({ tables, clock, journal }: RulesPorts): Promise<Rules> => {
    const readAt = clock.now();
    try {
      const { rules, unreadable } = await readRules(tables);
      for (const sk of unreadable) journal.record({ event: 'store-failed', reason: `rule#${ruleCode(sk)}` });
      reportUnknown(rules, reported, journal);
      known = { rules, readAt };
      return rules;
    } catch (error) {
      if (known === undefined) throw new StoreUnavailableError('read the rules', error);
      failedAt = clock.now();
      journal.record({ event: 'store-failed', reason: 'rules', error: errorText(error, failedAt) });
      return known.rules;
    }
  };

  return {
    current: async (ports) => {
      const now = ports.clock.now();
      if (known !== undefined && (since(known.readAt, now, ttlMs) || since(failedAt, now, RETRY_READ_MS))) return known.rules;
      reading ??= read(ports).finally(() => (reading = undefined));
      return reading;
    },
    listOnce: async (cause, now, list) => {
      const known = causes.get(cause);
      if (known !== undefined && since(known.at, now, LISTED_MS)) return known.listed;
      if (causes.size >= MAX_LISTED) causes.clear();
      const listed = list();
      causes.set(cause, { at: now, listed });
      // The next caller tries again.
      listed.catch(() => causes.delete(cause));
      return listed;
    },
  };
}
