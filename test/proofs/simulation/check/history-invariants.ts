import { isAttemptRow } from '../../../../shared/store/attempt-rows.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Mutation } from '../world/observed-store.ts';
import type { JobTracker, JobEntry } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** Outcomes of which History keeps a row. */
const KEPT: ReadonlySet<JobEntry['outcome']> = new Set(['completed', 'cancelled', 'skipped', 'expired']);

/** Holds what History says of a job's end against what was seen of it: it says what happened, and says the same forever. */
export class HistoryInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  /** Ids of which History had a row at some time: it keeps them for some days. */
  readonly #kept = new Set<string>();

  constructor(violations: Violations, tracker: JobTracker) {
    this.#violations = violations;
    this.#tracker = tracker;
  }

  /** After the tracker has seen the mutation, because a row of History may be written together with the end. */
  see({ by, changes }: Mutation): void {
    for (const { table, before, after } of changes) {
      if (table === 'history' && after !== undefined) this.#kept.add(String(after['id']));
      if (table === 'history' && after !== undefined && !isAttemptRow(after)) this.#check(by.name, before, after);
    }
  }

  #check(by: string, before: Row | undefined, after: Row): void {
    const { id, outcome } = after;
    const entry = this.#tracker.jobs.get(String(id));
    const ended = entry?.state === 'finished' ? entry.outcome : entry?.state;
    if (outcome !== ended) this.#violations.add('history-true', `${id}: ${by} wrote ${outcome} into History, it is ${ended}`);
    // One that was skipped may be planned again, and ends anew.
    if (before !== undefined && before['outcome'] !== outcome && before['outcome'] !== 'skipped')
      this.#violations.add('history-true', `${id}: History said ${before['outcome']}, ${by} made it ${outcome}`);
  }

  /** Where History is durable nothing that ended is missing. */
  checkEnd(durable: boolean): void {
    if (!durable) return;
    for (const { id, state, outcome } of this.#tracker.jobs.values()) {
      if (state === 'finished' && KEPT.has(outcome) && !this.#kept.has(id))
        this.#violations.add('history-true', `${id} was ${outcome}, and durable History does not know it`);
    }
  }
}
