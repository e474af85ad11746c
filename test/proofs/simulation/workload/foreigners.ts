import type { EventSource } from '../world/event-source.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { startForeign } from './foreign-code.ts';
import { MachinePark } from './machine-park.ts';
import { JOB_TYPES, type WorkItem } from './work-item-jobs.ts';

const { foreign } = JOB_TYPES;
const SECOND = 1_000;
const CONSIGNMENTS = 20;
const KINDS = ['plain', 'plain', 'long', 'long', 'long', 'flaky', 'hopeless', 'snoozing', 'stuck', 'poison'] as const;
/** Those of other jobs, so that a group reaches across workers of every kind. */
const GROUPS = ['g1', 'g2', undefined] as const;

/** Foreign code with a worker and jobs of its own, and those who enqueue them. Only wide worlds have them. */
export class Foreigners {
  readonly park: MachinePark;
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World, source: EventSource) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 79 + 47);
    this.park = new MachinePark({ world, source, actors: this.#actors, fault: 'foreign' });
  }

  /** Starts `count` machines for `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    const { time, plan } = this.#world;
    if (!plan.wide.on.includes('foreign')) return;
    const until = time.now + during;
    const machines = this.#world.casts('foreign') ? count : 0;
    for (let index = 0; index < machines; index++) {
      this.park.moveOut(foreign.worker, until);
      this.park.keep(() => startForeign(this.#world, this.#actors), until);
    }
    this.#actors.spread(CONSIGNMENTS, during, () => this.#consign());
    time.after(during, () => this.park.stopAll());
  }

  thaw(): void {
    this.park.thaw();
    this.#actors.thaw();
  }

  /** Somebody enqueues a few jobs for foreign code. */
  #consign(): void {
    const process = this.#actors.begin('client', 'consignor');
    const client = this.#world.client(process);
    const workItems = Array.from({ length: this.#actors.between(1, 4) }, () => this.#workItem());
    void this.#actors.perform(process, async () => {
      const { ids } = await client.enqueueMany(foreign, workItems);
      for (const id of ids) if (id !== undefined) this.#world.checks.accept(id);
    });
  }

  #workItem(): WorkItem {
    const kind = this.#actors.pick(KINDS);
    const group = this.#actors.pick(GROUPS);
    const workMs = this.#actors.between(1, kind === 'long' ? 60 : 5) * SECOND;
    const work = { kind, workMs, times: this.#actors.between(0, 2), delayMs: 30 * SECOND, generations: 0 };
    return group === undefined ? work : { ...work, group };
  }
}
