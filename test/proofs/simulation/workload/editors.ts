import type { Admin } from '../../../../operate/admin.ts';
import type { BulkAction } from '../../../../operate/bulk/bulk-verbs.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { JobEntry } from '../check/job-tracker.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { TENANTS } from './producers.ts';
import { JOB_TYPES } from './work-item-jobs.ts';

/** Those who change what jobs hold, delete dead letters and act on many, while others run. */
export class Editors {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 29 + 7);
  }

  /** Starts `count` editors, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    const often = { turns: [1, 4], pauseMs: 60_000 } as const;
    this.#actors.spread(count, during, () => this.#actors.actNowAndThen('editor', often, (admin) => this.#act(admin)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  async #act(admin: Admin): Promise<unknown> {
    const draw = this.#actors.chance.random();
    if (draw < 0.4) return this.#edit(admin);
    if (draw < 0.6) return this.#move(admin);
    if (draw < 0.8) return this.#delete(admin);
    return this.#bulk(admin);
  }

  /** A parked job, if there is one, every other time: they are few and soon gone. */
  async #edit(admin: Admin): Promise<unknown> {
    const parked = this.#some((entry) => entry.state === 'parked');
    const entry = parked !== undefined && this.#actors.chance.random() < 0.5 ? parked : this.#some(isThere);
    const payload = parsed(entry?.row);
    if (entry === undefined || payload === undefined) return undefined;
    const seen = this.#actors.chance.random() < 0.3 ? { rev: Number(entry.row['rev']) } : {};
    return admin.editPayload(entry.id, { ...payload, edited: this.#actors.between(1, 1_000) }, seen);
  }

  async #move(admin: Admin): Promise<unknown> {
    // The keys of two tenants are two keys; the key invariants know no moves.
    const entry = this.#some((one) => isThere(one) && one.row['key'] === undefined);
    if (entry === undefined) return undefined;
    const to = this.#actors.pick([...TENANTS, null, 'worker'] as const);
    if (to !== 'worker') return admin.changeTenant(entry.id, to);
    const parked = this.#some((one) => one.state === 'parked' && one.row['key'] === undefined);
    return this.#moveAway(admin, parked ?? entry);
  }

  /** To a type without limits whose handler does the same, on its worker. */
  async #moveAway(admin: Admin, { id, row }: JobEntry): Promise<unknown> {
    const { usual, elsewhere, limited, rated, abroad } = JOB_TYPES;
    const to = new Map([usual, abroad].map(({ name }) => [name, elsewhere])).set(elsewhere.name, usual);
    const type = to.set(limited.name, usual).set(rated.name, usual).get(String(row['type']));
    return type === undefined ? undefined : admin.move(id, { type: type.name, worker: type.worker });
  }

  async #delete(admin: Admin): Promise<unknown> {
    const entry = this.#some(({ state, row }) => state === 'dead' && row['batch'] === undefined && row['schedule'] === undefined);
    return entry === undefined ? undefined : admin.delete(entry.id);
  }

  async #bulk(admin: Admin): Promise<unknown> {
    const action = this.#actors.pick<BulkAction>([
      { verb: 'redrive', retries: 1 },
      { verb: 'set-priority', priority: this.#actors.between(0, 10) },
      { verb: 'run-now' },
    ]);
    const options = { limit: this.#actors.between(1, 8) };
    const report = await admin.bulk(action, { tenant: this.#actors.pick(TENANTS) }, options);
    return report.id === undefined ? undefined : admin.resumeBulk(report.id);
  }

  #some(fits: (entry: JobEntry) => boolean): JobEntry | undefined {
    const { accepted, tracker } = this.#world.checks;
    const entries = [...accepted].flatMap((id) => tracker.jobs.get(id) ?? []).filter(fits);
    return entries.length === 0 ? undefined : this.#actors.pick(entries);
  }
}

const isThere = ({ state }: JobEntry): boolean => !['none', 'finished'].includes(state);

/** A row that was spoiled by hand may hold anything. */
function parsed(row: Row | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(String(row?.['payload']));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
