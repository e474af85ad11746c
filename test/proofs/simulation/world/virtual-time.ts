import { Heap } from '../../../support/heap.ts';
import { nextTurn } from './next-turn.ts';

/** What an event brings about in one process, or in the queues, and nowhere else. */
export interface Wake {
  readonly where: object;
  /** Nothing happens: nobody waits for it any more. */
  readonly isVain: () => boolean;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly wake: Wake | undefined;
  readonly run: () => void;
}

/** An event that is to come: by a number that no other one has, when, and what it brings about if that is known. */
export type Coming = Omit<Event, 'run'>;

/**
 * Time of a simulated world: events in order of (instant, order of scheduling), one at a time, each followed by everything
 * that it wakes. Nothing in the world may wait for the machine.
 */
export class VirtualTime {
  now: number;
  events = 0;
  readonly #heap = new Heap<Event>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #order = 0;

  constructor(start: number) {
    this.now = start;
  }

  /** Runs `run` in `ms` from now. */
  after(ms: number, run: () => void, wake?: Wake): void {
    this.#heap.push({ at: this.now + Math.max(0, Math.floor(ms)), order: this.#order++, wake, run });
  }

  /** How many events were ever scheduled: the number of the next one. */
  get scheduled(): number {
    return this.#order;
  }

  /** What is to come, in order; `vain`: also what is in vain. */
  coming(vain = false): readonly Coming[] {
    const events = this.#heap.values.filter(({ wake }) => vain || wake?.isVain() !== true);
    return events.toSorted((a, b) => a.at - b.at || a.order - b.order);
  }

  /** Goes on, event by event, until `done` says so or nothing is left before `until`; then it is `until`, or the time of the last event. */
  async runUntil(until: number, done: () => boolean = () => false): Promise<void> {
    for (;;) {
      const next = this.#heap.first;
      if (next === undefined || next.at > until) break;
      this.#heap.pop();
      this.now = next.at;
      this.events++;
      next.run();
      await nextTurn();
      if (done()) return;
    }
    this.now = Math.max(this.now, until);
  }
}
