import type { JobClient } from '../../../../shared/client/job-client.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES, type WorkItem } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const GROUPS = ['in a row', 'one by one'];
const KINDS: readonly WorkItem['kind'][] = [
  'plain',
  'plain',
  'plain',
  'flaky',
  'flaky',
  'conflicting',
  'snoozing',
  'hopeless',
  'poison',
  'parent',
];

/** Those whose jobs have to run in order. Only one world in sixteen has them: what else a seed does stays as it is in the others. */
export class Queuers {
  readonly #world: World;
  readonly #actors: Actors;
  readonly #present: boolean;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 47 + 13);
    this.#present = world.options.seed % 16 === 13;
  }

  /** Starts `count` of them, two at about the same time, and operators who release groups, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    if (!this.#present) return;
    const { time } = this.#world;
    for (let index = 0; index < count / 2; index++) {
      const at = this.#actors.between(0, during);
      time.after(at, () => this.#begin());
      // So close to the first one that their clocks disagree about who was first.
      time.after(at + this.#actors.between(0, SECOND), () => this.#begin());
    }
    this.#actors.spread(count / 4, during, () => this.#settle('releaser'));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  /** In the end somebody settles every dead letter that still holds its group back. */
  release(): void {
    if (this.#present && this.#holders().length > 0) this.#settle('last releaser');
  }

  #begin(): void {
    const process = this.#actors.begin('client', 'queuer');
    const client = this.#world.client(process);
    void this.#actors.perform(process, async () => {
      for (let left = this.#actors.between(1, 4); left > 0; left--) {
        await this.#enqueue(client);
        await process.clock.wait(this.#actors.between(0, 20 * SECOND));
      }
    });
  }

  async #enqueue(client: JobClient): Promise<void> {
    const { order } = this.#world.checks;
    const group = this.#actors.pick(GROUPS);
    const began = order.call();
    const draw = this.#actors.chance.random();
    if (draw < 0.15) {
      const { ids } = await client.enqueueMany(JOB_TYPES.ordered, [this.#workItem(group), this.#workItem(group), this.#workItem(group)]);
      for (const id of ids) if (id !== undefined) this.#accept(id, group, began);
      return;
    }
    const delay = draw < 0.3 ? { delay: this.#actors.between(1, 30) * MINUTE } : {};
    const { id } = await client.enqueue(JOB_TYPES.ordered, this.#workItem(group), delay);
    if (delay.delay === undefined) this.#accept(id, group, began);
    else this.#world.checks.accept(id);
  }

  #accept(id: string, group: string, began: number): void {
    this.#world.checks.accept(id);
    this.#world.checks.order.accept(id, group, began);
  }

  #workItem(group: string): WorkItem {
    const kind = this.#actors.pick(KINDS);
    return {
      kind,
      workMs: this.#actors.between(1, 2 * SECOND),
      times: this.#actors.between(0, 2),
      delayMs: this.#actors.pick([SECOND, 30 * SECOND, 5 * MINUTE, 25 * MINUTE]),
      generations: kind === 'parent' ? this.#actors.between(1, 3) : 0,
      group,
    };
  }

  #settle(name: string): void {
    this.#actors.operate(name, async (admin) => {
      for (const id of this.#holders()) {
        const draw = this.#actors.chance.random();
        if (draw < 0.5) await admin.releaseGroup(id, { reason: 'simulated' });
        else if (draw < 0.75) await admin.redrive(id);
        else await admin.delete(id);
      }
    });
  }

  #holders(): readonly string[] {
    const dead = this.#world.store.tables.rows('deadLetters').filter((row) => GROUPS.includes(String(row['group'])));
    const places = new Set(this.#world.store.tables.rows('control').map((row) => row['jobId']));
    return dead.map(({ id }) => String(id)).filter((id) => places.has(id));
  }
}
