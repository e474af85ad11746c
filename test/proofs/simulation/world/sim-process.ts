import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Actor } from '../../../../shared/job/transitions.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Why a process stands still: Lambda freezes a sandbox between invocations; anything may pause it in the middle. */
export type Frost = 'between-invocations' | 'pause';

/** What is to happen in a process: a timer of its own has run out, or something has arrived from outside. */
interface Delivery {
  readonly step: () => void;
  readonly timer: boolean;
  /** Nobody waits for it any more. */
  readonly over?: () => boolean;
}

/**
 * A process in a simulated world: code runs in it only when something that it waits for is delivered, so that it can be killed
 * (nothing is ever delivered again) and frozen (deliveries wait until it thaws) at any await.
 */
export class SimProcess {
  readonly name: string;
  readonly role: Actor;
  /** How far its clock is ahead of true time at present. */
  skewMs: number;
  readonly clock: Clock;
  readonly entropy: Entropy;
  alive = true;
  /** How often it stood still in the middle of something. */
  pauses = 0;
  /** When it last thawed, in true time. */
  thawedAt = Number.NEGATIVE_INFINITY;
  /** It has no deadline, and renews its leases. */
  outside = false;
  /** Nobody kills it at its deadline: an assumption of the promises is broken. */
  outlivesDeadline = false;
  /** What is done when it begins to wait for time to pass. */
  onWait: () => void = () => {};
  /** Requests that were given up, or that may still be under way: after one, its leases may outlive it. */
  troubles = 0;
  /** The same by row: how often a write to it was given up. */
  readonly givenUp = new Map<string, number>();
  /** Timers that ran out while it stood still come before what arrived, as in Node. */
  timersFirst = false;
  /** When its present invocation began, and when it is killed, in true time. */
  invokedAt = Number.NEGATIVE_INFINITY;
  deadlineAt = Number.POSITIVE_INFINITY;
  readonly #frozenBy = new Set<Frost>();
  readonly #time: VirtualTime;
  readonly #held: Delivery[] = [];
  readonly #mourners: (() => void)[] = [];
  readonly #onThaw: (() => void)[] = [];

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
    this.#after(ms, { step, timer: false });
  }

  /** The same of a timer of its own. */
  timer(ms: number, step: () => void): void {
    this.#after(ms, { step, timer: true });
  }

  /** What is done when it dies, whatever it dies of; at once when it is dead already. */
  onDeath(mourner: () => void): void {
    if (this.alive) this.#mourners.push(mourner);
    else mourner();
  }

  /** What is done each time it goes on after it stood still. */
  onThaw(told: () => void): void {
    this.#onThaw.push(told);
  }

  kill(): void {
    if (!this.alive) return;
    this.alive = false;
    this.#held.length = 0;
    for (const mourner of this.#mourners.splice(0)) mourner();
  }

  /** Notes a request that was given up: whether these writes were applied, this process does not know. */
  gaveUp(writes: readonly Write[]): void {
    this.troubles++;
    for (const write of writes) {
      const { id } = write.op === 'put' ? write.row : write.key;
      if (typeof id === 'string') this.givenUp.set(id, (this.givenUp.get(id) ?? 0) + 1);
    }
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
    if (!this.#frozenBy.delete(by)) return;
    // What it did in the turn in which it froze is no word on how it is now.
    if (by === 'pause') this.pauses++;
    if (this.#frozenBy.size > 0) return;
    this.thawedAt = this.#time.now;
    for (const told of this.#onThaw) told();
    const held = this.#held.splice(0);
    const timers = this.timersFirst ? held.filter(({ timer }) => timer) : [];
    for (const delivery of [...timers, ...held.filter((one) => !timers.includes(one))]) this.#after(0, delivery);
  }

  #after(ms: number, delivery: Delivery): void {
    if (!this.alive) return;
    const isVain = (): boolean => !this.alive || this.#frozenBy.size > 0 || delivery.over?.() === true;
    this.#time.after(ms, () => this.#arrive(delivery), { where: this, isVain });
  }

  #arrive(delivery: Delivery): void {
    if (!this.alive) return;
    if (this.#frozenBy.size > 0) this.#held.push(delivery);
    else delivery.step();
  }

  #wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted || ms <= 0) return resolve();
      this.onWait();
      signal?.addEventListener('abort', () => resolve(), { once: true });
      this.#after(ms, { step: resolve, timer: true, over: () => signal?.aborted === true });
    });
  }
}

/** A promise that a dead process waits for. */
export function never<Result>(): Promise<Result> {
  return new Promise(() => {});
}
