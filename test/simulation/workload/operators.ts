import { type Admin, createAdminOver } from '../../../shared/admin/admin.ts';
import { NightcrewError } from '../../../shared/core/errors.ts';
import type { PriorityScope, SuspensionScope } from '../../../shared/core/rules.ts';
import { seededEntropy } from '../../../shared/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { JOB_TYPES } from './errand-jobs.ts';
import { TENANTS } from './producers.ts';

const MINUTE = 60_000;
const TYPES = [JOB_TYPES.usual.name, JOB_TYPES.patient.name, JOB_TYPES.elsewhere.name];
const SCOPES: readonly SuspensionScope[] = [
  ...TYPES.map((type) => ({ type })),
  ...TENANTS.map((tenant) => ({ tenant })),
  { group: 'g1' },
  'all',
];
const PRIORITY_SCOPES: readonly PriorityScope[] = [...TYPES.map((type) => ({ type })), ...TENANTS.map((tenant) => ({ tenant }))];

/** Those who suspend, hurry and stop jobs while others run. Each is a process of its own, which its faults may end anywhere. */
export class Operators {
  readonly #world: World;
  readonly #processes: SimProcess[] = [];
  /** Chance of its own, so that what else a seed draws stays as it is. */
  readonly #chance: Entropy;

  constructor(world: World) {
    this.#world = world;
    this.#chance = seededEntropy(world.options.seed * 17 + 3);
  }

  /** Starts `count` operators, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    for (let index = 0; index < count; index++) {
      this.#world.time.after(this.#between(0, during), () =>
        this.#operate('operator', async (admin, process) => {
          for (let left = this.#between(1, 4); left > 0; left--) {
            await this.#act(admin, process);
            await process.clock.wait(this.#between(0, 2 * MINUTE));
          }
        }),
      );
    }
  }

  thaw(): void {
    for (const process of this.#processes) process.thaw('pause');
  }

  /** In the end somebody lifts what is left of it, also what a late operator laid down after that. */
  lift(): void {
    const { tables } = this.#world.store;
    const rules = tables.rows('control').filter(({ pk }) => pk === 'rules');
    const stopped = tables.rows('suspended').filter(({ cause }) => cause === 'breakpoint');
    if (rules.length + stopped.length === 0) return;
    this.#operate('lifter', async (admin) => {
      for (const { scope } of await admin.suspensions()) await admin.activate(scopeOf(scope));
      for (const { scope, default: isDefault } of await admin.priorities())
        await admin.clearPriority(scopeOf(scope) as PriorityScope, { default: isDefault });
      for (const { id } of stopped) await admin.activateJob(String(id));
    });
  }

  #operate(name: string, work: (admin: Admin, process: SimProcess) => Promise<void>): void {
    const process = this.#world.process('admin', name);
    this.#processes.push(process);
    const admin = createAdminOver({ ...this.#world.ports(process), deployment: this.#world.deployment });
    void this.#perform(process, () => work(admin, process));
  }

  async #perform(process: SimProcess, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NightcrewError)) throw error;
      this.#world.trace.note(this.#world.time.now, process.name, `failed: ${error.name}`);
    }
    this.#world.checks.hints.ended(process);
  }

  async #act(admin: Admin, process: SimProcess): Promise<void> {
    const draw = this.#chance.random();
    if (draw < 0.25) return this.#suspend(admin, process);
    if (draw < 0.45) {
      const rate = this.#chance.random() < 0.5 ? {} : { ratePerSecond: this.#pick([0.2, 2, 50]) };
      return void (await admin.activate(this.#pick(SCOPES), rate));
    }
    const id = this.#someId();
    if (draw < 0.6) {
      const cascade = this.#chance.random() < 0.5;
      return admin.overridePriority(this.#pick(PRIORITY_SCOPES), this.#between(0, 10), { cascade });
    }
    if (draw < 0.65) return void (await admin.clearPriority(this.#pick(PRIORITY_SCOPES)));
    if (id === undefined) return;
    if (draw < 0.75) await admin.runNow(id);
    else if (draw < 0.85) await admin.breakpoint(id, { reason: 'simulated' });
    else if (draw < 0.9) await admin.activateJob(id);
    else if (draw < 0.95) await admin.setPriority(id, this.#between(0, 10));
    else await admin.setRetries(id, this.#between(1, 4));
  }

  async #suspend(admin: Admin, process: SimProcess): Promise<void> {
    const now = process.clock.now();
    const draw = this.#chance.random();
    const when =
      draw < 0.5
        ? {}
        : draw < 0.75
          ? { until: now + this.#between(1, 20) * MINUTE }
          : { from: now + MINUTE, until: now + this.#between(2, 20) * MINUTE };
    await admin.suspend(this.#pick(SCOPES), { reason: 'simulated', ...when });
  }

  /** A job that was accepted and may still be somewhere. */
  #someId(): string | undefined {
    const { accepted, book } = this.#world.checks;
    const ids = [...accepted].filter((id) => !['finished', 'dead'].includes(book.jobs.get(id)?.state ?? 'finished'));
    return ids.length === 0 ? undefined : this.#pick(ids);
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#chance.random() * (most - least + 1));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#chance.random() * items.length)] as Item;
  }
}

function scopeOf(text: string): SuspensionScope {
  const cut = text.indexOf('#');
  return cut === -1 ? 'all' : ({ [text.slice(0, cut)]: text.slice(cut + 1) } as SuspensionScope);
}
