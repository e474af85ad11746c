import { seededEntropy } from '../../../shared/memory/seeded-entropy.ts';
import type { Actor } from '../../../shared/core/transitions.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Why a process stands still: Lambda freezes a sandbox between invocations; anything may pause it in the middle. */
export type Frost = 'between-invocations' | 'pause';

/**
 * A process in a simulated world: code runs in it only when something that it waits for is delivered, so that it can be killed
 * (nothing is ever delivered again) and frozen (deliveries wait until it thaws) at any await.
 */
export class SimProcess {
  readonly name: string;
  readonly role: Actor;
  /** How far its clock is ahead of true time. */
  readonly skewMs: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  alive = true;
  /** How often it stood still in the middle of something. */
  pauses = 0;
  /** Nobody kills it at its deadline: an assumption of the promises is broken. */
  outlivesDeadline = false;
  /** What is done when it begins to wait for time to pass. */
  onWait: () => void = () => {};
  /** Requests that were given up, or that may still be under way: after one, its leases may outlive it. */
  troubles = 0;
  /** The same by row: how often a write to it was given up. */
  readonly givenUp = new Map<string, number>();
  /** When its present invocation is killed, in true time. */
  deadlineAt = Number.POSITIVE_INFINITY;
  readonly #frozenBy = new Set<Frost>();
  readonly #time: VirtualTime;
  readonly #held: (() => void)[] = [];
  readonly #mourners: (() => void)[] = [];

  constructor(time: VirtualTime, identity: { name: string; role: Actor; skewMs: number; seed: number }) {
    this.#time = time;
    this.name = identity.name;
    this.role = identity.role;
    this.skewMs = identity.skewMs;
    this.entropy = seededEntropy(identity.seed);
    this.clock = { now: () => time.now + this.skewMs, wait: (ms, signal) => this.#wait(ms, signal) };
  }

  /** Lets `step` happen in this process in `ms`: never if it is dead by then, after the thaw if it is frozen. */
  deliver(ms: number, step: () => void): void {
    if (!this.alive) return;
    this.#time.after(ms, () => this.#arrive(step));
  }

  /** What is done when it dies, whatever it dies of; at once when it is dead already. */
  onDeath(mourner: () => void): void {
    if (this.alive) this.#mourners.push(mourner);
    else mourner();
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#held.length = 0;
    for (const mourner of this.#mourners.splice(0)) mourner();
  }

  /** Whether it stands still in the middle of something. */
  get paused(): boolean {
    return this.#frozenBy.has('pause');
  }

  freeze(by: Frost): void {
    if (by === 'pause') this.pauses++;
    this.#frozenBy.add(by);
  }

  /** Delivers what arrived meanwhile, in order, each in a turn of its own, once nothing keeps it frozen. */
  thaw(by: Frost): void {
    if (!this.#frozenBy.delete(by) || this.#frozenBy.size > 0) return;
    for (const step of this.#held.splice(0)) this.deliver(0, step);
  }

  #arrive(step: () => void): void {
    if (!this.alive) return;
    if (this.#frozenBy.size > 0) this.#held.push(step);
    else step();
  }

  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      this.onWait();
      signal?.addEventListener('abort', () => resolve(), { once: true });
      this.deliver(ms, resolve);
    });
  }
}

/** A promise that a dead process waits for. */
export function never<Result>(): Promise<Result> {
  return new Promise(() => {});
}
