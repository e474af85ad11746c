import type { Admin } from '../../../../operate/admin.ts';
import { limitName } from '../../../../shared/features/limits/model/operator-limit.ts';
import type { PriorityScope, SuspensionScope } from '../../../../shared/features/rules/model/rules.ts';
import type { SimProcess } from '../world/sim-process.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES } from './work-item-jobs.ts';
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
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 17 + 3);
  }

  /** Starts `count` operators, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    const often = { turns: [1, 4], pauseMs: 2 * MINUTE } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('operator', often, (admin, process) => this.#act(admin, process)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  /** In the end somebody lifts what is left of it, also what a late operator laid down after that. */
  lift(): void {
    const { tables } = this.#world.store;
    const rules = tables.rows('control').filter(({ pk }) => pk === 'rules');
    const stopped = tables.rows('suspended').filter(({ cause }) => cause === 'breakpoint');
    if (rules.length + stopped.length === 0) return;
    this.#actors.operate('lifter', async (admin) => {
      for (const { scope } of await admin.suspensions()) await admin.resume(scopeOf(scope));
      for (const { scope, default: isDefault } of await admin.priorities())
        await admin.clearPriority(scopeOf(scope) as PriorityScope, { default: isDefault });
      if (rules.some(({ sk }) => limitName(String(sk)) !== undefined)) await clearLimits(admin);
      for (const { id } of stopped) await admin.resumeJob(String(id));
    });
  }

  async #act(admin: Admin, process: SimProcess): Promise<void> {
    const draw = this.#actors.chance.random();
    if (draw < 0.25) return this.#suspend(admin, process);
    if (draw < 0.45) {
      const rate = this.#actors.chance.random() < 0.5 ? {} : { ratePerSecond: this.#actors.pick([0.2, 2, 50]) };
      return void (await admin.resume(this.#actors.pick(SCOPES), rate));
    }
    const id = this.#someId();
    if (draw < 0.6) {
      const cascade = this.#actors.chance.random() < 0.5;
      return admin.overridePriority(this.#actors.pick(PRIORITY_SCOPES), this.#actors.between(0, 10), { cascade });
    }
    if (draw < 0.65) return void (await admin.clearPriority(this.#actors.pick(PRIORITY_SCOPES)));
    if (id === undefined) return;
    if (draw < 0.75) await admin.runNow(id);
    else if (draw < 0.85) await admin.breakpoint(id, { reason: 'simulated' });
    else if (draw < 0.9) await admin.resumeJob(id);
    else if (draw < 0.95) await admin.setPriority(id, this.#actors.between(0, 10));
    else await admin.setRetries(id, this.#actors.between(1, 4));
  }

  async #suspend(admin: Admin, process: SimProcess): Promise<void> {
    const now = process.clock.now();
    const draw = this.#actors.chance.random();
    const when =
      draw < 0.5
        ? {}
        : draw < 0.75
          ? { until: now + this.#actors.between(1, 20) * MINUTE }
          : { from: now + MINUTE, until: now + this.#actors.between(2, 20) * MINUTE };
    await admin.suspend(this.#actors.pick(SCOPES), { reason: 'simulated', ...when, ...this.#whichJobs() });
  }

  /** Some suspend only new jobs, in some worlds. */
  #whichJobs(): { readonly newJobsOnly?: true } {
    return worldHas('new-jobs-only', this.#world.options.seed) && this.#actors.chance.random() < 0.6 ? { newJobsOnly: true } : {};
  }

  /** A job that was accepted and may still be somewhere. */
  #someId(): string | undefined {
    const { accepted, tracker } = this.#world.checks;
    const ids = [...accepted].filter((id) => !['finished', 'dead'].includes(tracker.jobs.get(id)?.state ?? 'finished'));
    return ids.length === 0 ? undefined : this.#actors.pick(ids);
  }
}

/** The scope that a rule's key names. */
export function scopeOf(text: string): SuspensionScope {
  const cut = text.indexOf('#');
  return cut === -1 ? 'all' : ({ [text.slice(0, cut)]: text.slice(cut + 1) } as SuspensionScope);
}

async function clearLimits(admin: Admin): Promise<void> {
  for (const { limit, set } of await admin.limitNumbers()) if (set !== undefined) await admin.clearLimit(limit);
}
