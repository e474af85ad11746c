import type { Admin } from '../../../../operate/admin.ts';
import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';

const MINUTE = 60_000;
const DAYS = [[], ['12-25'], ['02-29']];

/** Operators who backfill the last minutes of schedules and change their excluded days. Only some worlds have them. */
export class Backfillers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 73 + 37);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('backfiller', this.#world.options.seed)) return;
    const often = { turns: [1, 4], pauseMs: 3 * MINUTE } as const;
    this.#actors.spread(count, during, () =>
      this.#actors.actNowAndThen('backfiller', often, (admin, process) => this.#act(admin, process)),
    );
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin, process: SimProcess): Promise<unknown> {
    const { store, checks } = this.#world;
    const names = store.tables.rows('control').flatMap((row) => (isScheduleRow(row) ? [String(row['sk'])] : []));
    if (names.length === 0) return;
    const name = this.#actors.pick(names);
    checks.schedules.meddledWith(name, 'apart');
    if (this.#actors.chance.random() < 0.3) return admin.schedules.edit(name, { exclude: this.#actors.pick(DAYS) });
    const to = process.clock.now() - this.#actors.between(0, 5 * MINUTE);
    const range = { from: to - this.#actors.between(1, 20) * MINUTE, to };
    const ratePerSecond = this.#actors.pick([undefined, 1]);
    const limit = this.#actors.between(1, 8);
    return admin.schedules.backfill(name, { ...range, apply: true, limit, ...(ratePerSecond === undefined ? {} : { ratePerSecond }) });
  }
}
