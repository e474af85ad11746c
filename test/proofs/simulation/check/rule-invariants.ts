import { MAX_CLOCK_SKEW_MS, RULES_TTL_MS } from '../../../../shared/job/lease.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import { Troubles } from './troubles.ts';
import type { Violations } from './violations.ts';

/** A reply that is on its way, as old as a stale read can be. */
const READ_MS = 3_000;
const GRACE_MS = RULES_TTL_MS + READ_MS + MAX_CLOCK_SKEW_MS;
const SUSPENSION = 'suspension#';
const UNTOUCHED = ['failures', 'crashes', 'snoozes'] as const;
const ASIDE = new Set(['suspend', 'resume', 'run now', 'set priority', 'reroute', 'bury by hand']);

/** Holds what operators laid down against what executors started, and what was moved aside against what it was before. */
export class RuleInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  readonly #now: () => number;
  /** Suspensions that stand, by scope. */
  readonly #standing = new Map<string, Standing>();
  readonly #troubles = new Troubles();

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
          createdAfter: momentOf(after['createdAfter'], -Infinity),
        });
    }
  }

  /** A handler starts in a process. One whose requests failed or that stood still may go by what it knew before. */
  started(by: SimProcess, id: string): void {
    const row = this.#tracker.jobs.get(id)?.row;
    const now = this.#now();
    if (this.#hadTrouble(by, now) || row === undefined || row['runNow'] === true) return;
    // By a clock that is wrong a suspension may be over, or not have begun.
    const [earliest, latest] = [now + Math.min(0, by.skewMs), now + Math.max(0, by.skewMs)];
    for (const scope of scopesOf(row)) {
      const held = this.#standing.get(scope);
      if (held !== undefined && isNew(row, held) && held.since < earliest - GRACE_MS && latest < held.until - MAX_CLOCK_SKEW_MS)
        this.#violations.add('suspended-not-started', `${id} starts in ${by.name}, ${now - held.since} ms after ${scope} was suspended`);
    }
  }

  /** Whether a request of the process failed, or it stood still, within the time for which its rules are good. */
  #hadTrouble(by: SimProcess, now: number): boolean {
    return this.#troubles.since(by, now - GRACE_MS, now);
  }

  see(step: Step): void {
    const { entry, verb, from, before, after } = step;
    const { id } = entry;
    if (verb === 'resume') this.#checkReleased(step);
    if (verb === 'suspend') this.#checkSuspended(step);
    if (!ASIDE.has(verb) || before === undefined || after === undefined) return;
    const moved = UNTOUCHED.filter((name) => before[name] !== after[name]);
    const starts = Number(before['starts']) - (from === 'running' ? 1 : 0);
    if (moved.length > 0 || after['starts'] !== starts)
      this.#violations.add(
        'counters-untouched',
        `${id}: ${verb} changed ${[...moved, ...(after['starts'] === starts ? [] : ['starts'])].join()}`,
      );
  }

  /** A suspension of new jobs leaves older ones alone, unless the process goes by one that it replaced. */
  #checkSuspended({ entry: { id }, by, after }: Step): void {
    const cause = String(after?.['cause']);
    const held = this.#standing.get(cause);
    const now = this.#now();
    if (after === undefined || held === undefined || isNew(after, held) || held.since >= now - GRACE_MS || this.#hadTrouble(by, now))
      return;
    this.#violations.add('older-not-suspended', `${id} is suspended by ${by.name}, though ${cause} is suspended for jobs after it only`);
  }

  /** Only an operator takes a job out of a suspension that stands. One that was laid down since the invocation began may be unknown to it. */
  #checkReleased({ entry: { id }, by, before }: Step): void {
    const held = this.#standing.get(String(before?.['cause']));
    if (by.role === 'admin' || held === undefined || by.givenUp.has(id)) return;
    if (held.since < by.invokedAt - MAX_CLOCK_SKEW_MS && this.#now() < held.until - MAX_CLOCK_SKEW_MS)
      this.#violations.add('suspension-kept', `${id} is resumed by ${by.name}, though ${String(before?.['cause'])} is suspended`);
  }

  /** When everything had time to end: nothing is suspended for something that is over. */
  checkEnd(suspended: readonly Row[]): void {
    for (const row of suspended) {
      if (!this.#standing.has(String(row['cause'])))
        this.#violations.add('resumed-after-suspension', `${row['id']} lies in Suspended for ${row['cause']}, which is over`);
    }
  }
}

/** Since when and until when a suspension holds, and for jobs created after when. */
interface Standing {
  readonly since: number;
  readonly until: number;
  readonly createdAfter: number;
}

function isNew(row: Row, { createdAfter }: Standing): boolean {
  return momentOf(row['createdAt'], Infinity) > createdAfter;
}

function scopesOf(row: Row): readonly string[] {
  return ['all', ...['type', 'group', 'tenant'].flatMap((kind) => (row[kind] === undefined ? [] : [`${kind}#${row[kind]}`]))];
}

function momentOf(value: unknown, otherwise: number): number {
  return typeof value === 'string' ? Date.parse(value) : otherwise;
}
