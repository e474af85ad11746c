import type { Mutation } from '../world/observed-store.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { JobTracker, Step } from './job-tracker.ts';
import type { Violations } from './violations.ts';

/** An enqueue that was accepted, in the order of all calls: when it began, and when it returned. */
interface Accepted {
  readonly group: string;
  readonly began: number;
  readonly returned: number;
}

const PATIENCE_MS = 15 * 60_000;

/**
 * The order of groups with `onFailure: 'block'`, from what producers were told and handlers did: from its first start until it has ended, no
 * other job of the group starts, and none starts before one that was accepted before it was asked for.
 */
export class OrderInvariants {
  readonly #violations: Violations;
  readonly #tracker: JobTracker;
  readonly #now: () => number;
  readonly #accepted = new Map<string, Accepted>();
  readonly #started = new Set<string>();
  /** Jobs that an operator made their group pass, ever: they have lost their place in the order. */
  readonly #passed = new Set<string>();
  #calls = 0;
  #freeSince: number | undefined;

  constructor(violations: Violations, tracker: JobTracker, now: () => number) {
    this.#violations = violations;
    this.#tracker = tracker;
    this.#now = now;
  }

  /** Counts one call. */
  call(): number {
    return this.#calls++;
  }

  /** A job that was due at once, enqueued by a call that began as number `began`. */
  accept(id: string, group: string, began: number): void {
    this.#accepted.set(id, { group, began, returned: this.call() });
  }

  /** A handler starts. */
  started(by: SimProcess, id: string): void {
    const entry = this.#tracker.jobs.get(id);
    // A run that lost its lease starts nothing.
    if (entry?.row['groupPlace'] === undefined || entry.owner !== by) return;
    const { group } = entry.row;
    const others = [...this.#tracker.jobs.values()].filter(
      ({ id: other, row }) => other !== id && row['group'] === group && this.#holds(other),
    );
    for (const { id: other, state } of others) {
      if (this.#started.has(other))
        this.#violations.add(
          'group-held-back',
          `${id} of ${String(group)} starts in ${by.name}, though ${other} has started and is ${state}`,
        );
      else if (!this.#started.has(id) && this.#isBefore(other, id))
        this.#violations.add('group-in-order', `${id} of ${String(group)} starts in ${by.name} before ${other}, which is ${state}`);
    }
    this.#started.add(id);
  }

  see({ entry: { id }, verb }: Step): void {
    // It takes its place among those that have not started.
    if (verb === 'redrive') this.#started.delete(id);
    // It stands by its new time.
    if (verb === 'reschedule' || verb === 'run now') this.#accepted.delete(id);
  }

  seeRows({ by, changes }: Mutation): void {
    for (const { key, before, after } of changes) {
      if (!String(key['pk']).startsWith('places#') || key['sk'] === 'holder') continue;
      const id = String((before ?? after)?.['jobId']);
      if (after === undefined && by.role === 'admin' && this.#tracker.jobs.get(id)?.state !== 'finished') this.#passed.add(id);
    }
  }

  /** Whether a job that has not ended holds its group back. */
  #holds(id: string): boolean {
    const entry = this.#tracker.jobs.get(id);
    if (entry === undefined || entry.row['groupPlace'] === undefined || this.#passed.has(id)) return false;
    return entry.state !== 'finished';
  }

  #isBefore(id: string, other: string): boolean {
    const [first, second] = [this.#accepted.get(id), this.#accepted.get(other)];
    return first !== undefined && second !== undefined && first.returned < second.began;
  }

  /** To be asked every minute once everything works again: nobody waits in a group that nothing holds back. */
  checkReleased(): void {
    const now = this.#now();
    const waiting = [...this.#tracker.jobs.values()].filter(({ row, state }) => row['groupPlace'] !== undefined && state === 'parked');
    const free = waiting.some(({ row: { group } }) => {
      const others = [...this.#tracker.jobs.values()].filter((other) => other.row['group'] === group && other.state !== 'finished');
      // One that was passed and is tried again takes its place once more.
      return others.every(({ id, state }) => state === 'parked' || (state === 'dead' && !this.#holds(id)));
    });
    this.#freeSince = free ? (this.#freeSince ?? now) : undefined;
    if (now - (this.#freeSince ?? now) > PATIENCE_MS)
      this.#violations.add(
        'group-goes-on',
        `${waiting.map(({ id }) => id).join()} wait for the order of a group in which nothing else is left`,
      );
  }
}
