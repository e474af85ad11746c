import type { Clock } from '../../shared/ports/clock.ts';

/** A clock on which every wait is over at once: time jumps by it. Remembers the waits. */
export class JumpingClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 0, 1);

  now(): number {
    return this.#now;
  }

  async wait(ms: number): Promise<void> {
    this.waits.push(ms);
    this.#now += ms;
  }

  /** Time that passes without anybody waiting for it. */
  pass(ms: number): void {
    this.#now += ms;
  }
}
