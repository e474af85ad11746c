import type { Admin } from '../../../../operate/admin.ts';
import type { RetentionScope } from '../../../../shared/features/retention/admin/retention-verbs.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES } from './work-item-jobs.ts';

const MINUTE = 60_000;
const SCOPES: readonly RetentionScope[] = [
  'all',
  ...[JOB_TYPES.usual, JOB_TYPES.patient, JOB_TYPES.limited].map(({ name }) => ({ type: name })),
];

/** Operators who set for how long dead letters are kept, take it back, and write to the groups of some whose they are. Only some worlds have them. */
export class Keepers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 61 + 23);
  }

  /** Starts `count` keepers, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('keeper', this.#world.options.seed)) return;
    const often = { turns: [1, 4], pauseMs: 2 * MINUTE } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('keeper', often, (admin) => this.#act(admin)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin): Promise<unknown> {
    const draw = this.#actors.chance.random();
    const scope = this.#actors.pick(SCOPES);
    if (draw < 0.7) return admin.setRetention(scope, this.#actors.between(1, 4));
    if (draw < 0.8) return admin.clearRetention(scope);
    const { groups } = await admin.errorGroups({ state: 'all' });
    if (groups.length === 0) return undefined;
    const owner = this.#actors.pick(['anna', null]);
    return admin.annotateErrorGroup(this.#actors.pick(groups).fingerprint, { owner });
  }
}
