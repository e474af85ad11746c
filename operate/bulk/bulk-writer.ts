import { defined } from '../../shared/job/defined.ts';
import type { JobId } from '../../shared/job/job-id.ts';
import { cutToBytes } from '../../shared/job/size-limits.ts';
import { saveBulk } from './bulk-rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { recordWrites } from '../../shared/features/operator-records.ts';
import { type BulkState, progressOf, rowOf } from './bulk-state.ts';

/** Another process holds the bulk action by now and continues it. */
export class TakenOverError extends Error {}

/** How long a process may be silent before another one may resume its bulk action. */
export const BULK_LEASE_MS = 60_000;
/** How often a waiting process renews its lease. */
const SIGN_OF_LIFE_MS = 15_000;
const SHOWN_BYTES = 1_024;

/** The writer: without an owner it is a dry run, and nothing is written. `actor` may differ from the one that started it. */
export interface BulkHolder {
  readonly owner?: string;
  readonly actor?: string;
}

/** Writes the state of a bulk action for the process that holds it. Every write throws TakenOverError if another process holds it by now. */
export class BulkWriter {
  readonly #deps: AdminDeps;
  readonly #state: BulkState;
  readonly #holder: BulkHolder;
  #savedAt: number;
  #steps: number;
  #kept: BulkState;

  constructor(deps: AdminDeps, state: BulkState, holder: BulkHolder) {
    this.#deps = deps;
    this.#state = state;
    this.#holder = holder;
    this.#savedAt = state.updatedAt;
    this.#steps = state.steps;
    this.#kept = structuredClone(state);
  }

  /** Whether it is time to renew the lease. */
  get isSilent(): boolean {
    return this.#deps.clock.now() - this.#savedAt >= SIGN_OF_LIFE_MS;
  }

  async save(): Promise<void> {
    await this.#write(this.#state, []);
    this.#kept = structuredClone(this.#state);
  }

  /** Records the jobs of a step before it begins, so that a process that resumes knows which jobs to check. */
  async saveAhead(ids: readonly JobId[]): Promise<void> {
    this.#state.unsettled = { count: ids.length, step: this.#steps + 1 };
    await this.#write(this.#state, ids);
    this.#kept = structuredClone(this.#state);
  }

  async end(status: BulkState['status']): Promise<void> {
    this.#state.status = status;
    await this.#write(this.#state, [], true);
  }

  /** Waits until the time is over or the signal aborts, and keeps renewing the lease. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const isStopped = (): boolean => signal?.aborted === true;
    for (const until = clock.now() + ms; clock.now() < until && !isStopped();) {
      await clock.wait(Math.min(until - clock.now(), SIGN_OF_LIFE_MS), signal);
      await this.renewIfSilent();
    }
  }

  /** Renews the lease in the middle of a step. The counts are ahead of what was written down, so that is written again. */
  async renewIfSilent(): Promise<void> {
    if (this.isSilent) await this.#write(this.#kept, []);
  }

  async #write(state: BulkState, met: readonly JobId[], last = false): Promise<void> {
    const { owner, actor = state.actor } = this.#holder;
    if (owner === undefined) return;
    const { clock, tables, entropy, journal } = this.#deps;
    const now = clock.now();
    this.#steps++;
    state.updatedAt = now;
    state.steps = this.#steps;
    const row = rowOf(state, last ? undefined : { owner, until: now + BULK_LEASE_MS });
    const records = last ? recordWrites({ ...bulkAct(state, now, endOf(state)), actor }, entropy.token()) : [];
    if (!(await saveBulk(tables, { row, met, records }, owner))) throw new TakenOverError();
    this.#savedAt = now;
    journal.flush();
  }
}

/** What is recorded of a bulk action: at its start, at its end, and when it is resumed. */
export function bulkAct({ id, action, filter, actor, reason }: BulkState, at: number, what: string) {
  const { tenant } = filter;
  return {
    verb: `bulk ${action.verb}`,
    actor,
    at,
    // A filter may name a thousand ids.
    scope: cutToBytes(JSON.stringify(filter), SHOWN_BYTES),
    detail: `${id}: ${what}`,
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...defined({ reason }),
  };
}

function endOf(state: BulkState): string {
  const { matched, done, leftAlone, failed } = progressOf(state);
  const left = Object.entries(leftAlone).map(([why, count]) => `${count} ${why}`);
  return [`${state.status}, ${done} of ${matched} done`, ...(failed > 0 ? [`${failed} failed`] : []), ...left].join(', ');
}
