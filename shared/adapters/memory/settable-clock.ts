import type { Clock } from '../../ports/clock.ts';

interface Waiter {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is advanced. Waits end when `advance` passes them, in order. */
export class SettableClock implements Clock {
  #now: number;
  readonly #waiters = new Set<Waiter>();

  constructor(now: number = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      const waiter: Waiter = {
        at: this.#now + ms,
        wake: () => {
          this.#waiters.delete(waiter);
          signal?.removeEventListener('abort', waiter.wake);
          resolve();
        },
      };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', waiter.wake, { once: true });
    });
  }

  /** Instants of pending waits, soonest first. */
  get pending(): readonly number[] {
    return [...this.#waiters].map((waiter) => waiter.at).toSorted((a, b) => a - b);
  }

  /** Advances time. Ends waits in order, and lets the code that each one wakes run before the next. */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const next = [...this.#waiters].filter((waiter) => waiter.at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#now = until;
  }
}
