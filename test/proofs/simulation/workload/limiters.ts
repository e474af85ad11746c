import type { Admin } from '../../../../operate/admin.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { CODED_NUMBERS } from './work-item-jobs.ts';

const MINUTE = 60_000;
const NAMES = [...CODED_NUMBERS.keys()];

/** Operators who lower, raise and clear the numbers of limits while jobs run under them. Only some worlds have them. */
export class Limiters {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 67 + 29);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('limiter', this.#world.options.seed)) return;
    const often = { turns: [1, 5], pauseMs: 2 * MINUTE } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('limiter', often, (admin) => this.#act(admin)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin): Promise<unknown> {
    // Two of three are about the limit that most jobs are under.
    const limit = this.#actors.chance.random() < 0.67 ? 'pair' : this.#actors.pick(NAMES);
    if (this.#actors.chance.random() < 0.3) return admin.clearLimit(limit);
    return admin.setLimit(limit, this.#actors.pick([0, 1, 1, 3, 4, 5]));
  }
}
