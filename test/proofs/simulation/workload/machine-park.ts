import type { EventSource } from '../world/event-source.ts';
import type { World } from '../world/world.ts';
import type { Actors } from './actors.ts';
import type { Machine } from './machines.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * Machines outside Lambda, which run the jobs of some workers in place of their functions: each is replaced when it has died, and stopped
 * now and then. A worker moves back into Lambda for a while, and out again. Each machine counts as a fault, so that a world can be cut down
 * to those that it needs.
 */
export class MachinePark {
  /** What machines that died held: each may cost a rescue. */
  orphans = 0;
  readonly #world: World;
  readonly #source: EventSource;
  readonly #actors: Actors;
  readonly #fault: 'outside' | 'foreign';
  readonly #machines = new Set<Machine>();
  /** Workers of these machines. */
  readonly #workers = new Set<string>();

  constructor(deps: {
    readonly world: World;
    readonly source: EventSource;
    readonly actors: Actors;
    readonly fault: 'outside' | 'foreign';
  }) {
    this.#world = deps.world;
    this.#source = deps.source;
    this.#actors = deps.actors;
    this.#fault = deps.fault;
  }

  thaw(): void {
    for (const { process } of this.#machines) process.thaw('pause');
  }

  /** A machine, and after it the next one. */
  keep(start: () => Machine, until: number): void {
    const { time, plan } = this.#world;
    if (!plan.wide.has(this.#fault) || !plan.happens(this.#fault)) return;
    const machine = start();
    this.#machines.add(machine);
    time.after(this.#actors.between(2, 15) * MINUTE, machine.stop);
    machine.process.onDeath(() => {
      this.#machines.delete(machine);
      this.orphans += machine.held();
      const at = time.now + this.#actors.between(1, 10) * SECOND;
      if (at < until) time.after(at - time.now, () => this.keep(start, until));
    });
  }

  /** The functions of a worker take nothing from its queues, until they do so again for a while. */
  moveOut(worker: string, until: number): void {
    const { time } = this.#world;
    if (this.#workers.has(worker) || time.now >= until) return;
    this.#workers.add(worker);
    this.#source.leaves.add(worker);
    time.after(this.#actors.between(2, 12) * MINUTE, () => {
      this.#moveIn(worker);
      time.after(this.#actors.between(1, 4) * MINUTE, () => this.moveOut(worker, until));
    });
  }

  /** Tells all machines to stop; functions take their jobs. */
  stopAll(): void {
    for (const { stop } of this.#machines) stop();
    for (const worker of this.#workers) this.#moveIn(worker);
  }

  #moveIn(worker: string): void {
    this.#workers.delete(worker);
    this.#source.leaves.delete(worker);
    this.#source.wake();
  }
}
