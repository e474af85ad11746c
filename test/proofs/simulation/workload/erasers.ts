import type { Admin } from '../../../../operate/admin.ts';
import type { EraseScope } from '../../../../operate/erase/erasure.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { TENANTS } from './producers.ts';
import { JOB_TYPES } from './work-item-jobs.ts';

const MINUTE = 60_000;
const REASON = 'simulated: ticket 4711';
const TYPES = [JOB_TYPES.usual.name, JOB_TYPES.patient.name, JOB_TYPES.limited.name];

/** Operators who erase what is kept of a job, a type or a tenant, stop in the middle, and continue what others began. Only some worlds have them. */
export class Erasers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 53 + 17);
  }

  /** Starts `count` erasers, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('eraser', this.#world.options.seed)) return;
    const often = { turns: [1, 4], pauseMs: 2 * MINUTE } as const;
    this.#actors.spread(count, during, () =>
      this.#actors.actNowAndThen('eraser', often, (admin) =>
        this.#actors.chance.random() < 0.7 ? this.#erase(admin) : this.#continue(admin),
      ),
    );
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #erase(admin: Admin): Promise<void> {
    const scope = this.#scope();
    if (scope === undefined) return;
    const stop = new AbortController();
    // Erased at once, or stopped after some pages, most often to be resumed.
    let pages = this.#actors.chance.random() < 0.4 ? this.#actors.between(1, 4) : 1_000;
    const report = await admin.erase(scope, {
      apply: this.#actors.chance.random() < 0.9,
      reason: REASON,
      cancelLive: this.#actors.chance.random() < 0.2,
      ratePerSecond: this.#actors.pick([1, 20, 1_000]),
      signal: stop.signal,
      onProgress: () => {
        pages -= 1;
        if (pages === 0) stop.abort();
      },
    });
    if (report.status === 'stopped' && report.id !== undefined && this.#actors.chance.random() < 0.7) await admin.resumeErasure(report.id);
  }

  /** One that somebody stopped, died in the middle of, or still works on. */
  async #continue(admin: Admin): Promise<void> {
    const open = (await admin.erasures()).filter(({ status }) => status !== 'done');
    if (open.length > 0) await admin.resumeErasure(String(this.#actors.pick(open).id));
  }

  #scope(): EraseScope | undefined {
    const draw = this.#actors.chance.random();
    if (draw < 0.2) return { type: this.#actors.pick(TYPES) };
    if (draw < 0.4) return { tenant: this.#actors.pick(TENANTS) };
    if (draw < 0.5) return { type: this.#actors.pick(TYPES), tenant: this.#actors.pick(TENANTS) };
    const ended = [...this.#world.checks.tracker.jobs.values()].filter(({ state }) => state === 'dead' || state === 'finished');
    return ended.length === 0 ? undefined : { id: this.#actors.pick(ended).id };
  }
}
