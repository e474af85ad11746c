import type { JobId } from '../../shared/job/job-id.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { settleLeftGroups, tellLeftGroups } from '../../shared/features/error-groups/admin/leave-error-group.ts';
import { ErrorGroupSums } from '../../shared/features/error-groups/store/error-group-sums.ts';
import { flushErrorGroups } from '../../shared/features/error-groups/store/error-groups.ts';
import { checkFilter } from '../jobs/check-filter.ts';
import { type MatchedRow, matchingPage } from '../jobs/matching-rows.ts';
import { type Plan, planOf } from '../jobs/plan.ts';
import { msUntilPut } from '../wait-for-put-window.ts';
import { actOnJob, type ActOnJob, hasHappened, isDone, meantBy } from './act-on-job.ts';
import { type BulkState, progressOf } from './bulk-state.ts';
import type { BulkOptions } from './bulk-verbs.ts';
import { type BulkHolder, BulkWriter } from './bulk-writer.ts';
import { countFailed, countLeftAlone } from './count-outcome.ts';
import { type Meant, NotMeantError, wasThere } from './matches-selection.ts';
import { canaryWatch, canTell } from './watch-canary.ts';

const CANARY_LOOK_MS = 1_000;
const PARALLEL = 16;
const STEP = 50;
/** A slow rate makes smaller steps, so that few jobs are in doubt when the process dies. */
const STEP_MS = 5_000;
/** Rows are read for several steps at once, which costs less; what was read longer ago is read again. */
const PAGE = 1_000;
const PAGE_READ_UNITS = 1_000;
const STALE_MS = 60_000;
/** The last passes only look for jobs that moved during an earlier one. */
const MAX_PASSES = 4;

/** What a run needs in addition to its row. */
export interface BulkRun extends BulkHolder, Pick<BulkOptions, 'onProgress' | 'signal'> {
  readonly met: Set<JobId>;
  /** Jobs of the step at which the process before this one died. */
  readonly doubt: readonly JobId[];
  readonly ratePerSecond?: number;
}

/** Goes through everything that matches, a step at a time, until a pass finds nothing new. Throws TakenOverError when it lost its lease. */
export async function runBulk(deps: AdminDeps, state: BulkState, run: BulkRun): Promise<void> {
  const own: AdminDeps = { ...deps, leftGroups: new Map(), errorGroups: new ErrorGroupSums() };
  try {
    await new Runner(own, state, run).run();
  } finally {
    await flushErrorGroups(own, true);
    await settleLeftGroups(own);
  }
}

/** Rows that were read and not yet acted on. */
interface Ahead {
  readonly rows: readonly MatchedRow[];
  readonly next: string | undefined;
  readonly readAt: number;
}

/** A job to act on. Without `met`, the row that matched, it was met by an earlier process. */
interface Target {
  readonly id: JobId;
  readonly met?: MatchedRow;
}

class Runner {
  readonly #deps: AdminDeps;
  readonly #state: BulkState;
  readonly #run: BulkRun;
  readonly #meant: Meant;
  readonly #plan: Plan;
  readonly #act: ActOnJob;
  readonly #writer: BulkWriter;
  #ahead: Ahead | undefined;
  #nextStart = 0;

  constructor(deps: AdminDeps, state: BulkState, run: BulkRun) {
    const { actor, reason = `bulk ${state.id}`, action, startedAt: begun } = state;
    this.#deps = deps;
    this.#state = state;
    this.#run = run;
    const filter = checkFilter(state.filter);
    this.#plan = planOf(filter, { now: begun, historyDays: deps.deployment.settings.historyDays });
    this.#meant = meantBy(action, filter, begun);
    this.#act = actOnJob(deps, action, { actor, reason }, this.#meant);
    this.#writer = new BulkWriter(deps, state, run);
  }

  async run(): Promise<void> {
    const state = this.#state;
    await this.#settle();
    for (;;) {
      if (state.canary?.outcome === 'running' && !(await this.#canaryCompletes())) return;
      const isStopped = this.#run.signal?.aborted === true;
      if (!(isStopped && state.unsettled !== undefined) && (state.complete || this.#isFull())) return this.#end('done');
      if (isStopped) return this.#end('stopped');
      if (this.#needsCanary) {
        if (!(await this.#sendCanary())) return;
      } else await this.#step(await this.#nextRows());
    }
  }

  get #isDry(): boolean {
    return this.#run.owner === undefined;
  }

  get #needsCanary(): boolean {
    return this.#state.canaryWithinMs !== undefined && this.#state.canary === undefined && !this.#isDry;
  }

  #isFull(): boolean {
    return this.#state.limit !== undefined && this.#state.matched >= this.#state.limit;
  }

  /** What an earlier process left: jobs that it did not reach, and jobs that it may have reached. */
  async #settle(): Promise<void> {
    const { unsettled } = this.#state;
    if (unsettled === undefined) return;
    const { ids = this.#run.doubt } = unsettled;
    const inDoubt = unsettled.ids === undefined;
    // A later process must treat the jobs of this step as possibly done.
    if (!inDoubt) await this.#writer.saveAhead(ids);
    await this.#perform(
      ids.map((id) => ({ id })),
      inDoubt,
    );
    if (this.#state.unsettled === undefined) await this.#writer.save();
  }

  async #step({ rows, next }: Omit<Ahead, 'readAt'>): Promise<void> {
    const state = this.#state;
    const fresh = rows.filter((row) => this.#isMeant(row));
    state.cursor = next;
    state.passMet += fresh.length;
    const isPassed = next === undefined;
    if (isPassed && (this.#isDry || state.passMet === 0 || state.pass >= MAX_PASSES)) state.complete = true;
    else if (isPassed) {
      state.pass++;
      state.passMet = 0;
    }
    if (fresh.length > 0) await this.#take(fresh);
    else if (!state.complete && (isPassed || this.#writer.isSilent)) await this.#writer.save();
    if (fresh.length > 0 || !state.complete) this.#run.onProgress?.(progressOf(state));
  }

  /** Counts jobs as met, writes them down, then acts: a process that dies in between leaves them to be looked at, and takes no others instead. */
  async #take(rows: readonly MatchedRow[]): Promise<void> {
    const targets = rows.map((met) => ({ id: String(met.row['id']), met }));
    for (const { id } of targets) this.#run.met.add(id);
    this.#state.matched += targets.length;
    if (this.#isDry) return;
    await this.#writer.saveAhead(targets.map(({ id }) => id));
    await this.#perform(targets, false);
  }

  /** Rows of a step; one page is read for several steps. `next` continues after them; absent at the end of the pass. */
  async #nextRows(): Promise<Omit<Ahead, 'readAt'>> {
    const { limit = Number.MAX_SAFE_INTEGER, matched, cursor } = this.#state;
    const { clock } = this.#deps;
    if (this.#ahead === undefined || clock.now() - this.#ahead.readAt > STALE_MS) {
      this.#ahead = { ...(await this.#read(cursor, Math.min(PAGE, limit - matched))), readAt: clock.now() };
    }
    const { rows: ahead, next, readAt } = this.#ahead;
    const rate = this.#rate;
    const step = rate === undefined ? STEP : Math.min(STEP, Math.max(1, Math.floor((rate * STEP_MS) / 1_000)));
    const rows = this.#isDry ? ahead : ahead.slice(0, step);
    const rest = ahead.slice(rows.length);
    this.#ahead = rest.length === 0 ? undefined : { rows: rest, next, readAt };
    return { rows, next: rest.length === 0 ? next : rows.at(-1)?.cursor };
  }

  async #read(cursor: string | undefined, limit: number): Promise<Omit<Ahead, 'readAt'>> {
    const { rows, next, readUnits } = await matchingPage(this.#deps.tables, this.#plan, cursor, { limit, maxReadUnits: PAGE_READ_UNITS });
    this.#state.readUnits += readUnits;
    return { rows, next };
  }

  get #rate(): number | undefined {
    return this.#run.ratePerSecond ?? this.#state.ratePerSecond;
  }

  /** Jobs that were there at the begin, each once. */
  #isMeant({ row, state }: MatchedRow): boolean {
    return !this.#run.met.has(String(row['id'])) && wasThere(this.#meant, state, row);
  }

  /** Acts on the recorded jobs. After a stop the rest is left to the process that resumes, unless their results are unknown. */
  async #perform(targets: readonly Target[], inDoubt: boolean): Promise<void> {
    const rate = this.#rate;
    const chunk = rate === undefined ? PARALLEL : Math.min(PARALLEL, Math.max(1, Math.floor(rate)));
    const signal = inDoubt ? undefined : this.#run.signal;
    const ms = msUntilPut(
      this.#deps,
      targets.map(({ met }) => met),
      this.#state.startedAt,
    );
    await this.#writer.pause(ms, signal);
    const isStopped = (): boolean => signal?.aborted === true;
    let reached = 0;
    while (reached < targets.length && !isStopped()) {
      // A store that answers slowly, or a process that was frozen, must not act under a lease that has ended.
      await this.#writer.renewIfSilent();
      const some = targets.slice(reached, reached + chunk);
      if (rate !== undefined && !(await this.#turn((some.length * 1_000) / rate, signal))) break;
      await mapLimited(some, PARALLEL, async (target) => this.#actOnOne(target, inDoubt));
      reached += some.length;
    }
    const ids = targets.slice(reached).map(({ id }) => id);
    this.#state.unsettled = ids.length === 0 ? undefined : { count: ids.length, ids };
    await flushErrorGroups(this.#deps);
    await tellLeftGroups(this.#deps);
  }

  /** Spreads starts evenly; delays are not made up for. Returns false if it was stopped during the wait. */
  async #turn(takesMs: number, signal: AbortSignal | undefined): Promise<boolean> {
    const now = this.#deps.clock.now();
    const start = Math.max(now, this.#nextStart);
    this.#nextStart = start + takesMs;
    await this.#writer.pause(start - now, signal);
    return signal?.aborted !== true;
  }

  /** A store that does not answer for one job, or a row that cannot be read, does not keep the others waiting. */
  async #actOnOne({ id, met }: Target, inDoubt: boolean): Promise<void> {
    const { action } = this.#state;
    try {
      const outcome = await this.#act(id, met);
      if (isDone(action.verb, outcome) || (inDoubt && this.#hasHappened(outcome))) this.#countDone(id, met);
      else countLeftAlone(this.#state, outcome);
    } catch (error) {
      if (!(error instanceof NotMeantError)) countFailed(this.#deps, this.#state, id, error);
      else if (inDoubt && this.#hasHappened(error.outcome)) this.#countDone(id, met);
      else countLeftAlone(this.#state, error.outcome);
    }
  }

  #hasHappened(outcome: string): boolean {
    return hasHappened(this.#state.action, this.#meant.filter.states, outcome);
  }

  #countDone(id: JobId, met: MatchedRow | undefined): void {
    const state = this.#state;
    state.done++;
    if (!this.#needsCanary || state.canaryWithinMs === undefined) return;
    const type = met === undefined ? {} : { type: String(met.row['type']) };
    state.canary = { id, ...type, until: this.#deps.clock.now() + state.canaryWithinMs, outcome: 'running' };
  }

  /** Acts on the first job that can serve as a canary within the time limit; the others keep their turn. False if none of the jobs can. */
  async #sendCanary(): Promise<boolean> {
    const { cursor: start, action, canaryWithinMs: withinMs = 0 } = this.#state;
    const terms = { now: this.#deps.clock.now(), withinMs };
    let [cursor, first]: [string | undefined, MatchedRow | undefined] = [start, undefined];
    do {
      const { rows, next } = await this.#read(cursor, STEP);
      const fresh = rows.filter((row) => this.#isMeant(row));
      const able = fresh.find(({ row }) => canTell(action, row, terms));
      if (able !== undefined) {
        await this.#take([able]);
        this.#state.passMet++;
        this.#run.onProgress?.(progressOf(this.#state));
        return true;
      }
      first ??= fresh[0];
      cursor = next;
    } while (cursor !== undefined);
    if (first !== undefined) {
      this.#state.canary = { id: String(first.row['id']), until: terms.now, outcome: 'not-due' };
      await this.#end('canary-failed');
      return false;
    }
    // What matches only now must not go before a canary.
    await this.#step({ rows: [], next: undefined });
    return true;
  }

  /** Watches until its end is known or its time is over; false ends the run. */
  async #canaryCompletes(): Promise<boolean> {
    const { canary } = this.#state;
    if (canary === undefined) return true;
    const watch = canaryWatch(this.#deps, canary);
    await this.#writer.save();
    for (;;) {
      const outcome = await watch();
      if (outcome !== undefined) {
        this.#state.canary = { ...canary, outcome };
        if (outcome === 'completed') await this.#writer.save();
        else await this.#end('canary-failed');
        return outcome === 'completed';
      }
      if (this.#run.signal?.aborted === true) {
        await this.#end('stopped');
        return false;
      }
      await this.#writer.pause(Math.min(CANARY_LOOK_MS, canary.until - this.#deps.clock.now()), this.#run.signal);
    }
  }

  async #end(status: BulkState['status']): Promise<void> {
    if (!this.#isDry) await this.#writer.end(status);
  }
}
