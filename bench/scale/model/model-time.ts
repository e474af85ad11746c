import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports/clock.ts';
import { Heap } from '../../../test/support/heap.ts';

interface Entry {
  run: (() => void) | undefined;
}

interface Instant {
  readonly entries: Entry[];
  live: number;
}

/**
 * Time of the model, in whole milliseconds. Everything due in one millisecond runs together, and everything that it wakes runs before the
 * next one, so that a million jobs cost a turn for each millisecond in which something happens, not one for each wait.
 */
export class ModelTime {
  now: number;
  readonly clock: Clock = { now: () => this.now, wait: (ms, signal) => this.#wait(ms, signal) };
  readonly #instants = new Map<number, Instant>();
  readonly #heap = new Heap<number>((a, b) => a < b);

  constructor(start: number) {
    this.now = start;
  }

  /** Runs `run` in `ms` from now, rounded up to a millisecond; the returned function cancels it. */
  after(ms: number, run: () => void): () => void {
    const at = this.now + Math.max(0, Math.ceil(ms));
    let instant = this.#instants.get(at);
    if (instant === undefined) {
      instant = { entries: [], live: 0 };
      this.#instants.set(at, instant);
      this.#heap.push(at);
    }
    const [place, entry]: [Instant, Entry] = [instant, { run }];
    place.entries.push(entry);
    place.live++;
    return () => {
      if (entry.run === undefined) return;
      entry.run = undefined;
      // Most waits of an executor are time limits that never strike: they must not pile up.
      if (--place.live === 0) place.entries.length = 0;
    };
  }

  /** Continues until `done` returns true or nothing is left before `until`. */
  async runUntil(until: number, done: () => boolean = () => false): Promise<void> {
    await nextTurn();
    while (!done()) {
      const at = this.#heap.first;
      if (at === undefined || at > until) break;
      const instant = this.#instants.get(at) as Instant;
      this.#heap.pop();
      this.#instants.delete(at);
      if (instant.live === 0) continue;
      this.now = at;
      for (const entry of instant.entries) {
        const { run } = entry;
        entry.run = undefined;
        run?.();
      }
      await nextTurn();
    }
    if (!done()) this.now = Math.max(this.now, until);
  }

  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const callOff = this.after(Math.min(ms, 2 ** 40), () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = (): void => {
        callOff();
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}
