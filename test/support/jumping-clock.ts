import type { Clock } from '../../shared/ports/clock.ts';

/** A clock on which every wait is over at once: time jumps by it. Remembers the waits. */
export class JumpingClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    // A wait that can be cancelled is a time limit, which must not end early.
    if (signal !== undefined) return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.waits.push(ms);
    this.#now += ms;
  }

  /** A clock that jumps, so that waits end at once. */
  pass(ms: number): void {
    this.#now += ms;
  }
}
