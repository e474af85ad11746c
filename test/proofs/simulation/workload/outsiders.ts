import type { EventSource } from '../world/event-source.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { MachinePark } from './machine-park.ts';
import { startPool } from './machines.ts';

/** Workers of the simulated deployment, as often as machines of theirs are started. */
const WORKERS = ['default', 'default', 'other'] as const;

/** Workers outside Lambda, as the product has them. Only wide worlds have them. */
export class Outsiders {
  readonly park: MachinePark;
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World, source: EventSource) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 73 + 41);
    this.park = new MachinePark({ world, source, actors: this.#actors, fault: 'outside' });
  }

  /** Starts `count` machines for `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    const { time, plan } = this.#world;
    if (!plan.wide.on.includes('outside')) return;
    const until = time.now + during;
    for (let index = 0; index < count; index++) {
      const worker = this.#actors.pick(WORKERS);
      if (!this.#world.casts('pool')) continue;
      this.park.moveOut(worker, until);
      const concurrency = this.#actors.pick([1, 3, 10]);
      this.park.keep(() => startPool(this.#world, worker, concurrency), until);
    }
    time.after(during, () => this.park.stopAll());
  }

  thaw(): void {
    this.park.thaw();
  }
}
