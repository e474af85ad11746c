import { defined } from '../../core/defined.ts';
import type { JobId } from '../../core/job-id.ts';
import { cutToBytes } from '../../core/limits.ts';
import { auditWrite } from '../../features/audit/store/audit.ts';
import { saveBulk } from '../../store/bulk-rows.ts';
import type { AdminDeps } from '../admin-deps.ts';
import { type BulkState, progressOf, rowOf } from './bulk-state.ts';

/** A bulk action that somebody else holds by now: it is his to go on with. */
export class TakenOverError extends Error {}

/** How long a process may be silent before another one may go on with its bulk action. */
export const BULK_LEASE_MS = 60_000;
/** A process that waits says so well within its lease. */
const SIGN_OF_LIFE_MS = 15_000;
const SHOWN_BYTES = 1_024;

/** Who writes: without an owner it is a dry run, and nothing is written. `actor`: whoever began it may be another. */
export interface BulkHolder {
  readonly owner?: string;
  readonly actor?: string;
}

/** Writes a bulk action down for the process that holds it. Every write throws TakenOverError when somebody else does by now. */
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

  /** Whether this process was silent for so long that it should say that it is alive. */
  get isSilent(): boolean {
    return this.#deps.clock.now() - this.#savedAt >= SIGN_OF_LIFE_MS;
  }

  async save(): Promise<void> {
    await this.#write(this.#state, []);
    this.#kept = structuredClone(this.#state);
  }

  /** Writes the jobs of a step down before it begins: whoever goes on knows of which he must look what became of them. */
  async saveAhead(ids: readonly JobId[]): Promise<void> {
    this.#state.unsettled = { count: ids.length, step: this.#steps + 1 };
    await this.#write(this.#state, ids);
    this.#kept = structuredClone(this.#state);
  }

  async end(status: BulkState['status']): Promise<void> {
    this.#state.status = status;
    await this.#write(this.#state, [], true);
  }

  /** Waits, or until the signal aborts, and says every now and then that this process is alive. */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#deps;
    const isStopped = (): boolean => signal?.aborted === true;
    for (const until = clock.now() + ms; clock.now() < until && !isStopped();) {
      await clock.wait(Math.min(until - clock.now(), SIGN_OF_LIFE_MS), signal);
      // In the middle of a step the counts are ahead of what was written down, so that is written again.
      if (this.isSilent) await this.#write(this.#kept, []);
    }
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
    const audit = last ? [auditWrite({ ...bulkAudit(state, now, endOf(state)), actor }, entropy.token())] : [];
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
    ...defined({ reason }),
  };
}

function endOf(state: BulkState): string {
  const { matched, done, leftAlone, failed } = progressOf(state);
  const left = Object.entries(leftAlone).map(([why, count]) => `${count} ${why}`);
  return [`${state.status}, ${done} of ${matched} done`, ...(failed > 0 ? [`${failed} failed`] : []), ...left].join(', ');
}
