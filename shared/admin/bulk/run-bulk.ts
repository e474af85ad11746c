import { errorText } from '../../core/error-text.ts';
import { NightcrewError } from '../../core/errors.ts';
import { iso } from '../../core/instant.ts';
import type { JobId } from '../../core/job-id.ts';
import { cutToBytes } from '../../core/limits.ts';
import { mapLimited } from '../../core/map-limited.ts';
import { auditWrite } from '../../store/audit.ts';
import { saveBulk } from '../../store/bulk-rows.ts';
import type { AdminParts } from '../admin.ts';
import { tellLeftGroups } from '../error-groups/leave-error-group.ts';
import { checkFilter } from '../jobs/check-filter.ts';
import { type MatchedRow, matchingPage } from '../jobs/matching-rows.ts';
import { type Plan, planOf } from '../jobs/plan.ts';
import { actOnJob, type ActOnJob, isDone } from './act-on-job.ts';
import { type BulkState, progressOf, rowOf } from './bulk-state.ts';
import type { BulkOptions, BulkReport } from './bulk-verbs.ts';
import { canaryEnd } from './watch-canary.ts';

/** A bulk action that somebody else holds by now: it is his to go on with. */
export class TakenOverError extends Error {}

/** How long a process may be silent before another one may go on with its bulk action. */
export const BULK_LEASE_MS = 60_000;
/** A process that waits says so well within its lease. */
const SIGN_OF_LIFE_MS = 15_000;
const CANARY_LOOK_MS = 1_000;
const PARALLEL = 16;
const STEP = 50;
/** A slow rate makes smaller steps, so that few jobs are in doubt when the process dies. */
const STEP_MS = 5_000;
/** Rows are read for several steps at once, which costs less; what was read longer ago is read again. */
const PAGE = 1_000;
const PAGE_READ_UNITS = 1_000;
const STALE_MS = 60_000;
/** The last passes only look for what moved while an earlier one was under way. */
const MOST_PASSES = 4;
const MOST_FAILURES = 10;
const SHOWN_BYTES = 1_024;

/** What a run needs besides what its row keeps. Without an `owner` it is a dry run: nothing is written. */
export interface BulkRun extends Pick<BulkOptions, 'onProgress' | 'signal'> {
  readonly owner?: string;
  readonly met: Set<JobId>;
  /** Who runs it; whoever began it may be another. */
  readonly actor?: string;
  readonly ratePerSecond?: number;
}

/** Goes through everything that matches, a step at a time, until a pass finds nothing new. Throws TakenOverError when it lost its lease. */
export async function runBulk(parts: AdminParts, state: BulkState, run: BulkRun): Promise<void> {
  await new Runner(parts, state, run).run();
}

/** Rows that were read and not yet acted on. */
interface Ahead {
  readonly rows: readonly MatchedRow[];
  readonly next: string | undefined;
  readonly readAt: number;
}

class Runner {
  readonly #parts: AdminParts;
  readonly #state: BulkState;
  readonly #run: BulkRun;
  readonly #plan: Plan;
  readonly #act: ActOnJob;
  #ahead: Ahead | undefined;
  #nextStart = 0;
  #savedAt: number;
  #steps: number;
  #kept: BulkState;

  constructor(parts: AdminParts, state: BulkState, run: BulkRun) {
    const { actor, reason = `bulk ${state.id}` } = state;
    this.#parts = { ...parts, leftGroups: new Map() };
    this.#state = state;
    this.#run = run;
    const terms = { now: state.startedAt, historyDays: parts.deployment.settings.historyDays };
    this.#plan = planOf(checkFilter(state.filter), terms);
    this.#act = actOnJob(this.#parts, state.action, { actor, reason });
    this.#savedAt = state.updatedAt;
    this.#steps = state.steps;
    this.#kept = structuredClone(state);
  }

  async run(): Promise<void> {
    for (;;) {
      if (this.#state.canary?.outcome === 'running' && !(await this.#canaryCompletes())) return;
      if (this.#run.signal?.aborted === true) return this.#end('stopped');
      if (this.#isFull()) return this.#end('done');
      if (!(await this.#step())) return;
    }
  }

  get #isDry(): boolean {
    return this.#run.owner === undefined;
  }

  #isFull(): boolean {
    return this.#state.limit !== undefined && this.#state.matched >= this.#state.limit;
  }

  /** The next rows; false when they were the last. */
  async #step(): Promise<boolean> {
    const state = this.#state;
    const { rows, next } = await this.#nextRows();
    const fresh = rows.filter((row) => this.#isMeant(row));
    for (const { row } of fresh) this.#run.met.add(String(row['id']));
    const ids = fresh.map(({ row }) => String(row['id']));
    state.matched += ids.length;
    state.passMet += ids.length;
    if (!this.#isDry) {
      await this.#actOn(ids);
      await tellLeftGroups(this.#parts);
    }
    return this.#goOn(next, ids);
  }

  /** Rows of a step, of a page that is read for several; `next` goes on behind them, absent at the end of the pass. */
  async #nextRows(): Promise<Omit<Ahead, 'readAt'>> {
    const { canaryWithinMs, canary, limit = Number.MAX_SAFE_INTEGER, matched, cursor } = this.#state;
    const { clock, tables } = this.#parts;
    const one = canaryWithinMs !== undefined && canary === undefined;
    const left = one ? 1 : limit - matched;
    if (this.#ahead === undefined || clock.now() - this.#ahead.readAt > STALE_MS) {
      const page = await matchingPage(tables, this.#plan, cursor, { limit: Math.min(PAGE, left), maxReadUnits: PAGE_READ_UNITS });
      this.#state.readUnits += page.readUnits;
      this.#ahead = { rows: page.rows, next: page.next, readAt: clock.now() };
    }
    const { rows: ahead, next, readAt } = this.#ahead;
    const rate = this.#rate;
    const step = rate === undefined ? STEP : Math.min(STEP, Math.max(1, Math.floor((rate * STEP_MS) / 1_000)));
    const rows = ahead.slice(0, Math.min(this.#isDry ? PAGE : step, left));
    const rest = ahead.slice(rows.length);
    this.#ahead = rest.length === 0 ? undefined : { rows: rest, next, readAt };
    return { rows, next: rest.length === 0 ? next : rows.at(-1)?.cursor };
  }

  get #rate(): number | undefined {
    return this.#run.ratePerSecond ?? this.#state.ratePerSecond;
  }

  /** Jobs that were there at the begin, each once. A dead letter or a suspended job that comes back is another story than the one that was meant. */
  #isMeant({ row, state }: MatchedRow): boolean {
    if (this.#run.met.has(String(row['id']))) return false;
    const begun = iso(this.#state.startedAt);
    const since = [row['createdAt'], state === 'dead' ? row['failedAt'] : undefined];
    if (this.#state.action.verb === 'activate') since.push(row['suspendedAt']);
    return since.every((at) => typeof at !== 'string' || at <= begun);
  }

  async #actOn(ids: readonly JobId[]): Promise<void> {
    const rate = this.#rate;
    const chunk = rate === undefined ? PARALLEL : Math.min(PARALLEL, Math.max(1, Math.floor(rate)));
    for (let at = 0; at < ids.length; at += chunk) {
      const some = ids.slice(at, at + chunk);
      if (rate !== undefined) await this.#waitForTurn((some.length * 1_000) / rate);
      await mapLimited(some, PARALLEL, async (id) => this.#actOnOne(id));
    }
  }

  /** Starts are spread evenly; what was late is not made up for. */
  async #waitForTurn(takesMs: number): Promise<void> {
    const now = this.#parts.clock.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + takesMs;
    await this.#pause(start - now);
  }

  /** A store that does not answer for one job, or a row that cannot be read, does not keep the others waiting. */
  async #actOnOne(id: JobId): Promise<void> {
    const state = this.#state;
    try {
      const outcome = await this.#act(id);
      if (!isDone(state.action.verb, outcome)) {
        state.leftAlone[outcome] = (state.leftAlone[outcome] ?? 0) + 1;
        return;
      }
      state.done++;
      if (state.canaryWithinMs !== undefined && state.canary === undefined) {
        state.canary = { id, until: this.#parts.clock.now() + state.canaryWithinMs, outcome: 'running' };
      }
    } catch (error) {
      if (!(error instanceof NightcrewError)) throw error;
      state.failed++;
      if (state.failures.length < MOST_FAILURES) state.failures.push({ id, error: cutToBytes(error.message, SHOWN_BYTES) });
      const { journal, clock } = this.#parts;
      journal.record({ event: 'store-failed', reason: `bulk ${state.action.verb}`, error: errorText(error, clock.now()) });
    }
  }

  async #goOn(next: string | undefined, ids: readonly JobId[]): Promise<boolean> {
    const state = this.#state;
    state.cursor = next;
    const passEnds = next === undefined;
    if (passEnds && (this.#isDry || state.passMet === 0 || state.pass >= MOST_PASSES)) {
      state.complete = true;
      // The last step is written with the end.
      await this.#end('done', ids);
      return false;
    }
    if (passEnds) {
      state.pass++;
      state.passMet = 0;
    }
    if (ids.length > 0 || passEnds || this.#parts.clock.now() - this.#savedAt >= SIGN_OF_LIFE_MS) await this.#save(ids);
    this.#run.onProgress?.(progressOf(state));
    return true;
  }

  /** Watches until its end is known or its time is over; false ends the run. */
  async #canaryCompletes(): Promise<boolean> {
    const { canary } = this.#state;
    if (canary === undefined) return true;
    const { tables, clock, deployment } = this.#parts;
    for (;;) {
      const end = await canaryEnd(tables, canary.id, deployment.history !== 'off');
      const late = clock.now() >= canary.until;
      if (end !== undefined || late) {
        this.#state.canary = { ...canary, outcome: end ?? 'late' };
        if (end === 'completed') await this.#save([]);
        else await this.#end('canary-failed');
        return end === 'completed';
      }
      if (this.#run.signal?.aborted === true) {
        await this.#end('stopped');
        return false;
      }
      await this.#pause(Math.min(CANARY_LOOK_MS, canary.until - clock.now()));
    }
  }

  /** Waits, and says every now and then that this process is alive. */
  async #pause(ms: number): Promise<void> {
    const { clock } = this.#parts;
    for (const until = clock.now() + ms; clock.now() < until;) {
      await clock.wait(Math.min(until - clock.now(), SIGN_OF_LIFE_MS));
      // In the middle of a step the counts are ahead of the position, so it is the last whole step that is written again.
      if (clock.now() - this.#savedAt >= SIGN_OF_LIFE_MS) await this.#write(this.#kept, [], false);
    }
  }

  async #save(met: readonly JobId[]): Promise<void> {
    await this.#write(this.#state, met, false);
    this.#kept = structuredClone(this.#state);
  }

  async #end(status: BulkReport['status'], met: readonly JobId[] = []): Promise<void> {
    if (this.#isDry) return;
    this.#state.status = status;
    await this.#write(this.#state, met, true);
    if (met.length > 0) this.#run.onProgress?.(progressOf(this.#state));
  }

  async #write(state: BulkState, met: readonly JobId[], last: boolean): Promise<void> {
    const { owner } = this.#run;
    if (owner === undefined) return;
    const { clock, tables, entropy, journal } = this.#parts;
    const now = clock.now();
    this.#steps++;
    state.updatedAt = now;
    state.steps = this.#steps;
    const row = rowOf(state, last ? undefined : { owner, until: now + BULK_LEASE_MS });
    const audit = last
      ? [auditWrite({ ...bulkAudit(state, now, endOf(state)), actor: this.#run.actor ?? state.actor }, entropy.token())]
      : [];
    if (!(await saveBulk(tables, { row, met, audit }, owner))) throw new TakenOverError();
    this.#savedAt = now;
    journal.flush();
  }
}

/** An entry of a bulk action for the audit: at its begin, at its end, and when somebody goes on with it. */
export function bulkAudit({ id, action, filter, actor, reason }: BulkState, at: number, what: string) {
  const { tenant } = filter;
  return {
    verb: `bulk ${action.verb}`,
    actor,
    at,
    // A filter may name a thousand ids.
    scope: cutToBytes(JSON.stringify(filter), SHOWN_BYTES),
    detail: `${id}: ${what}`,
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(reason === undefined ? {} : { reason }),
  };
}

function endOf({ status, matched, done, leftAlone, failed }: BulkState): string {
  const left = Object.entries(leftAlone).map(([why, count]) => `${count} ${why}`);
  return [`${status}, ${done} of ${matched} done`, ...(failed > 0 ? [`${failed} failed`] : []), ...left].join(', ');
}
