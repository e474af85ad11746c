import type { JobClient } from '../../../../shared/client/job-client.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { GUARDED, JOB_TYPES, type WorkItem } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Producers of pairs: whichever job of a pair completes first cancels the other, as a task and its boundary timer do. Only some worlds have them. */
export class Guardians {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 71 + 31);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('guardian', this.#world.options.seed)) return;
    this.#actors.spread(count, during, () => this.#begin());
  }

  thaw(): void {
    this.#actors.thaw();
  }

  #begin(): void {
    const process = this.#actors.begin('client', 'guardian');
    const client = this.#world.client(process);
    void this.#actors.perform(process, async () => {
      for (let left = this.#actors.between(1, 3); left > 0; left--) {
        const pair = this.#actors.between(1, 4);
        const [task, timer] = [`${GUARDED}task-${pair}`, `${GUARDED}timer-${pair}`];
        await this.#enqueue(client, timer, task);
        await this.#enqueue(client, task, timer);
        await process.clock.wait(this.#actors.between(0, 3 * MINUTE));
      }
    });
  }

  async #enqueue(client: JobClient, key: string, cancels: string): Promise<void> {
    const delay = this.#actors.pick([0, 0, 10 * SECOND, 30 * SECOND, 5 * MINUTE, 25 * MINUTE]);
    const workMs = this.#actors.between(1, 10 * SECOND);
    const workItem: WorkItem = { kind: 'guarding', workMs, times: this.#actors.between(0, 1), delayMs: 0, generations: 0, cancels };
    this.#world.checks.accept((await client.enqueue(JOB_TYPES.usual, workItem, { key, delay })).id);
  }
}
