import { defined } from '../../shared/job/defined.ts';
import { errorText } from '../../shared/job/error-text.ts';
import { RowUnreadableError, StoreUnavailableError } from '../../shared/job/errors.ts';
import { LIMITS } from '../../shared/job/size-limits.ts';
import { mapLimited } from '../../shared/job/map-limited.ts';
import { leaveErrorGroup, settleLeftGroups } from '../../shared/features/error-groups/admin/leave-error-group.ts';
import { listScheduleRows } from '../../shared/features/schedules/store/list-schedules.ts';
import { recordWrites } from '../../shared/features/operator-records.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { rowBytes } from '../../shared/store/row-bytes.ts';
import type { Transacted } from '../../shared/store/transact.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type Meant, matchesSelection, NotMeantError } from '../bulk/matches-selection.ts';
import { cancelOne } from '../cancel-one.ts';
import type { MatchedRow } from '../jobs/matching-rows.ts';
import { msUntilPut } from '../wait-for-put-window.ts';
import type { EraseOptions, EraseScope } from './erasure.ts';
import { saveErasure } from './erasure-rows.ts';
import { endWords, erasureAudit, type ErasureState, nextDigest, reportOf } from './erasure-state.ts';
import { type ErasePlace, liveFilter, PLACES, type PlaceRun, type Target } from './erase-places.ts';

/** Another process continues the erasure by now. */
export class TakenOverError extends Error {}

/** Writes of one transaction: with its state, the ids and an entry of the audit fewer than it may hold. */
const STEP = 80;
/** Room for the state and the ids. */
const STEP_BYTES = LIMITS.transactionBytes - 64 * 1024;
const MAX_LOOKS = 5;
const PARALLEL = 16;
const SAVE_EVERY_MS = 10_000;
const BURST_MS = 1_000;

/** What a run needs besides its state. `isDry`: nothing is written. `actor` may differ from the one that began it. */
export interface ErasureTerms extends Pick<EraseOptions, 'onProgress' | 'signal'> {
  readonly isDry: boolean;
  readonly ratePerSecond?: number;
  readonly actor?: string;
}

/** Goes through all places from where the state stands. Throws TakenOverError if another process resumed it. */
export async function runErasure(deps: AdminDeps, state: ErasureState, terms: ErasureTerms): Promise<void> {
  const own: AdminDeps = { ...deps, leftGroups: new Map() };
  try {
    await new Runner(own, state, terms).run();
  } finally {
    if (!terms.isDry) await settleLeftGroups(own);
  }
}

class Runner {
  readonly #deps: AdminDeps;
  readonly #state: ErasureState;
  readonly #terms: ErasureTerms;
  readonly #run: PlaceRun;
  #savedAt: number;
  /** When the rate has been made up for. */
  #freeAt = 0;

  constructor(deps: AdminDeps, state: ErasureState, terms: ErasureTerms) {
    this.#deps = deps;
    this.#state = state;
    this.#terms = terms;
    this.#run = { deps, scope: state.scope, startedAt: state.startedAt };
    this.#savedAt = state.updatedAt;
  }

  async run(): Promise<void> {
    const state = this.#state;
    const first = Math.max(
      0,
      PLACES.findIndex(({ name }) => name === state.place),
    );
    for (const place of PLACES.slice(first)) {
      if (state.place !== place.name) state.cursor = undefined;
      state.place = place.name;
      do {
        if (this.#terms.signal?.aborted === true) return this.#end('stopped');
        const isWhole = await this.#page(place);
        this.#terms.onProgress?.(reportOf(state));
        if (!isWhole) return this.#end('stopped');
      } while (state.cursor !== undefined);
    }
    state.schedules = await schedulesOf(this.#deps.tables, state.scope);
    return this.#end('done');
  }

  /** False if it was stopped before the end of the page, which the process that resumes reads again. */
  async #page(place: ErasePlace): Promise<boolean> {
    const { rows, found, live = [], cursor } = await place.page(this.#run, this.#state.cursor);
    if (live.length > 0 && !(await this.#meetLive(live))) return false;
    this.#state.rows += rows;
    if (this.#terms.isDry) {
      for (const { kind } of found) this.#state.erased[kind]++;
      this.#state.cursor = cursor;
      return true;
    }
    const steps = stepsOf(found);
    for (const [index, step] of steps.entries()) {
      await this.#pace(step.length);
      if (this.#terms.signal?.aborted === true) return false;
      await this.#erase(place, step, index === steps.length - 1 ? cursor : this.#state.cursor);
    }
    this.#state.cursor = cursor;
    if (this.#deps.clock.now() - this.#savedAt >= SAVE_EVERY_MS) await this.#save({ ids: [], removes: [] });
    return true;
  }

  /** Erases a step and records the position behind it. Rows that have changed since they were read are judged again. */
  async #erase(place: ErasePlace, step: readonly Target[], cursor: string | undefined): Promise<void> {
    let targets = step;
    for (let look = 1; targets.length > 0; look++) {
      const before = { ...this.#state, erased: { ...this.#state.erased } };
      const ids = [...new Set(targets.map(({ job }) => job))];
      this.#state.cursor = cursor;
      this.#state.digest = nextDigest(before.digest, ids);
      for (const { kind } of targets) this.#state.erased[kind]++;
      const saved = await this.#save({ ids, removes: targets.flatMap(({ writes }) => writes) });
      if (saved.applied) return this.#leaveGroups(targets);
      Object.assign(this.#state, before);
      if (look >= MAX_LOOKS) {
        this.#state.failed += targets.length;
        return;
      }
      targets = await this.#judged(place, targets);
    }
  }

  async #judged(place: ErasePlace, targets: readonly Target[]): Promise<readonly Target[]> {
    const again = await mapLimited(targets, PARALLEL, async ({ table, key }) => {
      const row = await this.#deps.tables.get(table, key);
      return row === undefined ? undefined : place.judge(this.#run, row);
    });
    return again.flatMap((one) => one ?? []);
  }

  async #leaveGroups(targets: readonly Target[]): Promise<void> {
    for (const { kind, row, job } of targets) {
      if (kind === 'deadLetters') await leaveErrorGroup(this.#deps, { id: job, fingerprint: String(row['fingerprint']) }, 'deleted');
    }
  }

  /** A live job is cancelled if that was asked for; one that runs is asked to stop, and counts as live. False if it was stopped before. */
  async #meetLive(rows: readonly MatchedRow[]): Promise<boolean> {
    const state = this.#state;
    if (this.#terms.isDry || !state.cancelLive) {
      state.live += rows.length;
      return true;
    }
    await this.#deps.clock.wait(msUntilPut(this.#deps, rows), this.#terms.signal);
    if (this.#terms.signal?.aborted === true) return false;
    const { reason, actor } = state;
    const meant: Meant = { filter: liveFilter(state.scope), since: undefined, begun: this.#deps.clock.now() };
    await mapLimited(rows, PARALLEL, async ({ row }) => {
      const id = String(row['id']);
      const deps: AdminDeps = { ...this.#deps, tables: matchesSelection(this.#deps.tables, meant, id) };
      try {
        const outcome = await cancelOne(deps, id, defined({ cancelReason: reason, cancelledBy: actor }));
        if (outcome === 'cancelled') state.cancelled++;
        else if (outcome === 'cancel-requested') state.live++;
      } catch (error) {
        if (!(error instanceof NotMeantError)) this.#countFailed(error);
        else if (!error.isOfEnded) state.live++;
      }
    });
    return true;
  }

  /** A store that does not answer for one job, or a row that cannot be read, does not keep the others from being cancelled. */
  #countFailed(error: unknown): void {
    if (!(error instanceof StoreUnavailableError || error instanceof RowUnreadableError)) throw error;
    this.#state.failed++;
    this.#deps.journal.record({ event: 'store-failed', reason: 'erase', error: errorText(error, this.#deps.clock.now()) });
  }

  /** Waits until the rate allows this many more rows. It allows bursts of one second's worth. */
  async #pace(rows: number): Promise<void> {
    const rate = this.#terms.ratePerSecond ?? this.#state.ratePerSecond;
    const now = this.#deps.clock.now();
    const ms = Math.max(this.#freeAt, now) + (rows * 1_000) / rate - now - BURST_MS;
    if (ms > 0) await this.#deps.clock.wait(ms, this.#terms.signal);
    this.#freeAt = Math.max(this.#freeAt, now) + (rows * 1_000) / rate;
  }

  async #save(step: { readonly ids: readonly string[]; readonly removes: readonly Write[]; readonly audit?: readonly Write[] }) {
    const { clock, tables } = this.#deps;
    const state = this.#state;
    state.steps++;
    state.updatedAt = clock.now();
    this.#savedAt = state.updatedAt;
    const saved: Transacted<'head' | 'removes' | 'proof' | 'audit'> = await saveErasure(tables, state, {
      token: this.#deps.entropy.token(),
      ...step,
    });
    if (saved.applied) return saved;
    if (saved.failed('head')) throw new TakenOverError();
    // Without a condition that failed, other transactions were in the way, and a step that erases is judged again.
    if (step.removes.length === 0) throw saved.error();
    return saved;
  }

  async #end(status: ErasureState['status']): Promise<void> {
    const state = this.#state;
    if (!this.#terms.isDry || status === 'stopped') state.status = status;
    if (this.#terms.isDry) return;
    const entry = { ...erasureAudit(state, this.#deps.clock.now(), endWords(state)), ...defined({ actor: this.#terms.actor }) };
    await this.#save({ ids: [], removes: [], audit: recordWrites(entry, this.#deps.entropy.token()) });
  }
}

/** Targets in transactions: few enough, and small enough. */
function stepsOf(targets: readonly Target[]): readonly (readonly Target[])[] {
  const steps: Target[][] = [];
  let [writes, bytes] = [0, 0];
  for (const target of targets) {
    const more = rowBytes(target.row);
    const last = steps.at(-1);
    if (last === undefined || writes + target.writes.length > STEP || bytes + more > STEP_BYTES) {
      steps.push([target]);
      [writes, bytes] = [0, 0];
    } else last.push(target);
    writes += target.writes.length;
    bytes += more;
  }
  return steps;
}

/** Schedules with a type and tenant of the scope. None belongs to a single job. */
async function schedulesOf(tables: Tables, { id, type, tenant }: EraseScope): Promise<number> {
  if (id !== undefined) return 0;
  let [count, after]: [number, string | undefined] = [0, undefined];
  do {
    const page = await listScheduleRows(tables, defined({ after }));
    count += page.rows.filter(
      (row) => (type === undefined || row['type'] === type) && (tenant === undefined || row['tenant'] === tenant),
    ).length;
    after = page.after;
  } while (after !== undefined);
  return count;
}
