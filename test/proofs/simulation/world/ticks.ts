import type { Sandboxes } from './sandboxes.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const LATEST_TICK_MS = 60_000;

/** Ticks of the acquirer and the sweeper: once a minute each, missed, doubled, late and overlapping by the plan. */
export class Ticks {
  readonly #world: World;
  readonly #sandboxes: Sandboxes;

  constructor(world: World, sandboxes: Sandboxes) {
    this.#world = world;
    this.#sandboxes = sandboxes;
  }

  /** Ticks until the given time has passed. */
  start(during: number): void {
    const { time } = this.#world;
    for (let at = this.#world.between(0, MINUTE); at < during; at += MINUTE) {
      time.after(at, () => this.#tick(() => this.#sandboxes.acquire()));
      time.after(at + this.#world.between(0, 5_000), () => this.#tick(() => this.#sandboxes.sweep()));
    }
  }

  #tick(run: () => Promise<void>): void {
    const { plan, time } = this.#world;
    if (plan.strikes('tick-missed')) return;
    if (plan.strikes('tick-doubled')) void run();
    if (plan.strikes('tick-late')) time.after(this.#world.between(1, LATEST_TICK_MS), () => void run());
    else void run();
  }
}
