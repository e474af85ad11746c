import type { Admin } from '../../../../operate/admin.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';

const MINUTE = 60_000;

/** Operators who say about error groups whose they are, that they can wait, or that they are fixed, while jobs go on dying. Only some worlds have them. */
export class Triagers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 59 + 19);
  }

  /** Starts `count` triagers, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('triager', this.#world.options.seed)) return;
    const often = { turns: [2, 6], pauseMs: MINUTE } as const;
    this.#actors.spread(count, during, () =>
      this.#actors.actNowAndThen('triager', often, (admin, process) => this.#act(admin, process.clock.now())),
    );
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin, now: number): Promise<unknown> {
    const { groups } = await admin.errorGroups({ state: 'all' });
    if (groups.length === 0) return undefined;
    const { fingerprint } = this.#actors.pick(groups);
    const draw = this.#actors.chance.random();
    if (draw < 0.6) return admin.resolveErrorGroup(fingerprint);
    if (draw < 0.7) return admin.reopenErrorGroup(fingerprint);
    if (draw < 0.8) return admin.ignoreErrorGroup(fingerprint, now + this.#actors.between(1, 20) * MINUTE);
    return admin.annotateErrorGroup(fingerprint, { note: 'simulated', owner: this.#actors.pick(['anna', 'ben']) });
  }
}
