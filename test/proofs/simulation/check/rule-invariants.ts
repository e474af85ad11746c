import { MAX_CLOCK_SKEW_MS, RULES_TTL_MS } from '../../../../shared/core/lease.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** A reply that is on its way, as old as a stale read can be. */
const READ_MS = 3_000;
const GRACE_MS = RULES_TTL_MS + READ_MS + MAX_CLOCK_SKEW_MS;
const SUSPENSION = 'suspension#';
const UNTOUCHED = ['failures', 'crashes', 'snoozes'] as const;
const ASIDE = new Set(['suspend', 'activate', 'run now', 'set priority', 'reroute']);

/** Holds what operators laid down against what executors started, and what was moved aside against what it was before. */
export class RuleInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  readonly #now: () => number;
  /** Suspensions that stand, by scope, with the time since when each holds. */
  readonly #standing = new Map<string, { readonly since: number; readonly until: number }>();
  /** How much had gone wrong in a process, each time it was looked at. */
  readonly #looks = new Map<SimProcess, { readonly at: number; readonly trouble: number }[]>();

  constructor(violations: Violations, tracker: JobTracker, now: () => number) {
    this.#violations = violations;
    this.#tracker = tracker;
    this.#now = now;
  }

  seeRows({ at, changes }: Mutation): void {
    for (const { table, key, after } of changes) {
      const sk = key['sk'];
      if (table !== 'control' || key['pk'] !== 'rules' || sk === undefined || !sk.startsWith(SUSPENSION)) continue;
      const scope = sk.slice(SUSPENSION.length);
      const before = this.#standing.get(scope);
      if (after === undefined) this.#standing.delete(scope);
      else
        this.#standing.set(scope, {
          since: Math.max(at, momentOf(after['from'], before?.since ?? at)),
          until: momentOf(after['until'], Infinity),
        });
    }
  }

  /** A handler starts in a process. One whose requests failed or that stood still may go by what it knew before. */
  started(by: SimProcess, id: string): void {
    const row = this.#tracker.jobs.get(id)?.row;
    const now = this.#now();
    if (this.#hadTrouble(by, now) || row === undefined || row['runNow'] === true) return;
    for (const scope of scopesOf(row)) {
      const held = this.#standing.get(scope);
      if (held !== undefined && held.since < now - GRACE_MS && now < held.until - MAX_CLOCK_SKEW_MS)
        this.#violations.add('suspended-not-started', `${id} starts in ${by.name}, ${now - held.since} ms after ${scope} was suspended`);
    }
  }

  /** Whether a request of the process failed, or it stood still, within the time for which its rules are good. */
  #hadTrouble(by: SimProcess, now: number): boolean {
    const trouble = by.troubles + by.pauses;
    const looks = this.#looks.get(by) ?? [{ at: Number.NEGATIVE_INFINITY, trouble: 0 }];
    this.#looks.set(by, [...looks.slice(-50), { at: now, trouble }]);
    return looks.findLast(({ at }) => at <= now - GRACE_MS)?.trouble !== trouble;
  }

  see({ entry: { id }, verb, from, before, after }: Step): void {
    if (!ASIDE.has(verb) || before === undefined || after === undefined) return;
    const moved = UNTOUCHED.filter((name) => before[name] !== after[name]);
    const starts = Number(before['starts']) - (from === 'running' ? 1 : 0);
    if (moved.length > 0 || after['starts'] !== starts)
      this.#violations.add(
        'counters-untouched',
        `${id}: ${verb} changed ${[...moved, ...(after['starts'] === starts ? [] : ['starts'])].join()}`,
      );
  }

  /** When everything had time to end: nothing is suspended for something that is over. */
  checkEnd(suspended: readonly Row[]): void {
    for (const row of suspended) {
      if (!this.#standing.has(String(row['cause'])))
        this.#violations.add('released-after-activation', `${row['id']} lies in Suspended for ${row['cause']}, which is over`);
    }
  }
}

function scopesOf(row: Row): readonly string[] {
  return ['all', ...['type', 'group', 'tenant'].flatMap((kind) => (row[kind] === undefined ? [] : [`${kind}#${row[kind]}`]))];
}

function momentOf(value: unknown, otherwise: number): number {
  return typeof value === 'string' ? Date.parse(value) : otherwise;
}
