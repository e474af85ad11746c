import type { SuspensionScope } from '../../../../shared/features/rules/model/rules.ts';
import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { scopeOf } from './operators.ts';

const SECOND = 1_000;
const SUSPENSION = 'suspension#';

/** As soon as an operator writes a thing that others share, another one acts on the same: a bulk action, a rule, a schedule. */
export class Rivals {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 43 + 9);
  }

  /** Watches what operators write from now on. */
  start(): void {
    const { store, plan } = this.#world;
    store.watch(({ by, changes }) => {
      if (by.role !== 'admin' || by.name.startsWith('rival') || !plan.wide.has('rivals')) return;
      for (const { table, after } of changes) if (table === 'control' && after !== undefined) this.#meet(by, after);
    });
  }

  thaw(): void {
    this.#actors.thaw();
  }

  #meet(by: SimProcess, row: Row): void {
    const { plan } = this.#world;
    const { pk, sk } = row;
    if (pk === 'bulk' && row['lockOwner'] !== undefined && plan.wide.strikes('rivals', 0.5)) this.#takeOver(by, String(sk));
    else if (pk === 'rules' && String(sk).startsWith(SUSPENSION) && plan.wide.strikes('rivals', 0.3))
      this.#overrule(scopeOf(String(sk).slice(SUSPENSION.length)));
    else if (isScheduleRow(row) && plan.wide.strikes('rivals', 0.2)) this.#meddle(String(sk));
  }

  /** The operator's machine stands still, and another one goes on with what it had begun. */
  #takeOver(by: SimProcess, id: string): void {
    const { time } = this.#world;
    by.freeze('pause');
    const ms = this.#actors.between(20, 300) * SECOND;
    time.after(ms, () => by.thaw('pause'));
    // Before the lease of the first has ended, or soon after that.
    this.#later(this.#actors.pick([30, 62, 70, 90]), async (admin) => admin.resumeBulk(id));
  }

  #overrule(scope: SuspensionScope): void {
    const resumes = this.#actors.chance.random() < 0.5;
    this.#later(this.#actors.between(0, 2), async (admin) =>
      resumes ? admin.resume(scope) : admin.suspend(scope, { reason: 'rival', until: this.#world.time.now + 120 * SECOND }),
    );
  }

  #meddle(name: string): void {
    this.#world.checks.schedules.meddledWith(name);
    const pauses = this.#actors.chance.random() < 0.5;
    this.#later(this.#actors.between(0, 3), async ({ schedules }) =>
      pauses ? schedules.pause(name, { reason: 'rival' }) : schedules.resume(name),
    );
  }

  #later(seconds: number, work: Parameters<Actors['operate']>[1]): void {
    this.#world.time.after(seconds * SECOND, () => this.#actors.operate('rival', work));
  }
}
