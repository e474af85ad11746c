import type { Admin } from '../../../../operate/admin.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { batchOf } from '../check/batch-invariants.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { TENANTS } from './producers.ts';

const MINUTE = 60_000;
const REASON = { reason: 'simulated: a merger' };

/** Operators who give batches another tenant, some just when a child ends, and let the jobs follow. Only some worlds have them. */
export class Heirs {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 79 + 41);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('heir', this.#world.options.seed)) return;
    const often = { turns: [1, 4], pauseMs: 2 * MINUTE } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('heir', often, (admin) => this.#act(admin)));
    this.#watch(this.#world.time.now + during);
  }

  thaw(): void {
    this.#actors.thaw();
  }

  /** The end of a child may be that of its batch, whose callbacks are enqueued next. */
  #watch(until: number): void {
    const { store, time } = this.#world;
    store.watch(({ by, changes }) => {
      if (by.role !== 'executor' || time.now > until) return;
      const ended = changes.find(({ table, key }) => table === 'control' && key['sk']?.startsWith('leaf#') === true);
      const batch = ended === undefined ? undefined : batchOf(ended.key['pk']);
      if (batch === undefined || this.#actors.chance.random() > 0.3) return;
      time.after(this.#actors.between(0, 80), () => this.#actors.operate('heir', async (admin) => this.#inherit(admin, batch)));
    });
  }

  async #act(admin: Admin): Promise<void> {
    const heads = this.#world.store.tables.rows('control').filter(({ pk, sk }) => sk === 'head' && batchOf(pk) !== undefined);
    const open = heads.filter(({ finishedAt }) => finishedAt === undefined);
    const from = open.length > 0 && this.#actors.chance.random() < 0.8 ? open : heads;
    if (from.length > 0) await this.#inherit(admin, batchOf(this.#actors.pick(from)['pk']) ?? '');
  }

  async #inherit(admin: Admin, batch: string): Promise<unknown> {
    const tenant = this.#actors.pick([...TENANTS, null]);
    await admin.changeBatchTenant(batch, tenant, REASON);
    const draw = this.#actors.chance.random();
    if (draw < 0.4) return this.#followMany(admin, batch, tenant);
    const job = draw < 0.8 ? this.#someJob(batch) : undefined;
    return job === undefined ? undefined : admin.changeTenant(job, this.#actors.pick([tenant, tenant, tenant, ...TENANTS]), REASON);
  }

  async #followMany(admin: Admin, batch: string, tenant: string | null): Promise<unknown> {
    const report = await admin.bulk({ verb: 'change-tenant', tenant }, { batch }, { limit: this.#actors.between(1, 8), ...REASON });
    return report.id === undefined ? undefined : admin.resumeBulk(report.id);
  }

  /** A child or a callback that is still there. */
  #someJob(batch: string): string | undefined {
    const isOf = (row: Row): boolean => row['batch'] === batch || row['callbackOf'] === batch;
    const ids = [...this.#world.checks.tracker.jobs.values()].flatMap(({ id, state, row }) =>
      state !== 'none' && state !== 'finished' && isOf(row) ? [id] : [],
    );
    return ids.length === 0 ? undefined : this.#actors.pick(ids);
  }
}
