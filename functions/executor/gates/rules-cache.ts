import { errorText } from '../../../shared/job/error-text.ts';
import { tenantHash } from '../../../shared/job/hash.ts';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { RULES_TTL_MS } from '../../../shared/job/lease.ts';
import type { Rules } from '../../../shared/features/rules/model/rules.ts';
import { unknownRules } from '../../../shared/features/rules/model/unknown-rules.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Journal } from '../../../shared/ports/journal.ts';
import type { Tables } from '../../../shared/ports/tables.ts';
import { readRules } from '../../../shared/features/rules/store/rules.ts';

const RETRY_READ_MS = 1_000;
/** Far less than the time after which the sweeper forgets an unused cause. */
const LISTED_MS = 60_000;
const MOST_LISTED = 1_000;

/** Dependencies of a read; passed to each call, because every invocation has its own. */
export interface RulesPorts {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly journal: Journal;
}

/** The operators' rules, cached by one sandbox for all its invocations. */
export interface RulesCache {
  /**
   * Rules read at most five seconds ago, by one eventually consistent query for all concurrent callers. If the store does
   * not answer, the last known ones. Throws StoreUnavailableError if there are none, because suspensions are unknown then.
   */
  current(ports: RulesPorts): Promise<Rules>;
  /** Calls `list` for a cause, unless this sandbox did so within the last minute. Concurrent callers share one call. */
  listOnce(cause: string, now: number, list: () => Promise<void>): Promise<void>;
}

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
      if (causes.size >= MOST_LISTED) causes.clear();
      const listed = list();
      causes.set(cause, { at: now, listed });
      // The next caller tries again.
      listed.catch(() => causes.delete(cause));
      return listed;
    },
  };
}
