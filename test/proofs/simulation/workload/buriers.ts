import type { Admin } from '../../../../operate/admin.ts';
import type { JobEntry } from '../check/job-tracker.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { TENANTS } from './producers.ts';

const MINUTE = 60_000;
const REASON = 'simulated: not wanted any more';
/** Those that are few, or bound to more than themselves, are chosen as often as all others. */
const CHOICES: readonly ((entry: JobEntry) => boolean)[] = [
  () => true,
  ({ state }) => state === 'parked',
  ({ state }) => state === 'suspended',
  ({ state, row }) => state === 'waiting' && row['schedule'] !== undefined,
  ({ row }) => row['key'] !== undefined,
  ({ row }) => row['batch'] !== undefined,
  ({ row }) => row['cancelRequested'] === true,
];

/** Operators who bury jobs that do not run, one by one and in bulk, and change their minds about some of them. Only some worlds have them. */
export class Buriers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 47 + 13);
  }

  /** Starts `count` buriers, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('burier', this.#world.options.seed)) return;
    const often = { turns: [1, 5], pauseMs: MINUTE } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('burier', often, (admin) => this.#act(admin)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin): Promise<void> {
    if (this.#actors.chance.random() < 0.1) return this.#buryMany(admin);
    const id = this.#someId();
    if (id === undefined) return;
    const answer = await admin.bury(id, { reason: REASON });
    this.#world.checks.told.bury(id, answer, REASON);
    if (answer === 'buried' && this.#actors.chance.random() < 0.3) await admin.redrive(id);
  }

  async #buryMany(admin: Admin): Promise<void> {
    const options = { limit: this.#actors.between(1, 4), reason: REASON };
    const report = await admin.bulk({ verb: 'bury' }, { tenant: this.#actors.pick(TENANTS) }, options);
    if (report.id !== undefined) await admin.resumeBulk(report.id);
  }

  /** One that runs is chosen now and then, and refused. */
  #someId(): string | undefined {
    const entries = [...this.#world.checks.tracker.jobs.values()].filter(({ state }) => !['none', 'finished', 'dead'].includes(state));
    const idle = entries.filter(({ state }) => state !== 'running');
    const fits = this.#actors.pick(CHOICES);
    const chosen = [idle.filter(fits), idle, entries].find(({ length }) => length > 0) ?? [];
    const from = this.#actors.chance.random() < 0.1 ? entries : chosen;
    return from.length === 0 ? undefined : this.#actors.pick(from).id;
  }
}
