import { nextTurn } from './next-turn.ts';

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * Time of a simulated world: events in order of (instant, order of scheduling), one at a time, each followed by everything
 * that it wakes. Nothing in the world may wait for the machine.
 */
export class VirtualTime {
  now: number;
  events = 0;
  readonly #heap: Event[] = [];
  #order = 0;

  constructor(start: number) {
    this.now = start;
  }

  /** Runs `run` in `ms` from now. */
  after(ms: number, run: () => void): void {
    push(this.#heap, { at: this.now + Math.max(0, Math.floor(ms)), order: this.#order++, run });
  }

  /** What happens next, by a number that no other event has, and when. */
  get next(): { readonly at: number; readonly order: number } | undefined {
    return this.#heap[0];
  }

  /** Goes on, event by event, until `done` says so or nothing is left before `until`; then it is `until`, or the time of the last event. */
  async runUntil(until: number, done: () => boolean = () => false): Promise<void> {
    for (;;) {
      const next = this.#heap[0];
      if (next === undefined || next.at > until) break;
      pop(this.#heap);
      this.now = next.at;
      this.events++;
      next.run();
      await nextTurn();
      if (done()) return;
    }
    this.now = Math.max(this.now, until);
  }
}

const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(event, heap[parent] as Event)) break;
    heap[at] = heap[parent] as Event;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child++;
    if (!before(heap[child] as Event, last)) break;
    heap[at] = heap[child] as Event;
    at = child;
  }
  heap[at] = last;
}
