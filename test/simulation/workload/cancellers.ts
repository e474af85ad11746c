import { createAdminOver } from '../../../shared/admin/admin.ts';
import type { CancelAnswer } from '../../../shared/client/cancel-job.ts';
import { NightcrewError } from '../../../shared/core/errors.ts';
import { seededEntropy } from '../../../shared/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { JOB_TYPES } from './errand-jobs.ts';
import { TENANTS } from './producers.ts';

/** Those who cancel and want to be told who won, by id and by key, and an operator who cancels in bulk. What they are told is held against the store. */
export class Cancellers {
  readonly #world: World;
  readonly #processes: SimProcess[] = [];
  /** Chance of its own, so that what else a seed draws stays as it is. */
  readonly #chance: Entropy;

  constructor(world: World) {
    this.#world = world;
    this.#chance = seededEntropy(world.options.seed * 23 + 11);
  }

  /** Starts `count` cancellers, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    for (let index = 0; index < count; index++) {
      this.#world.time.after(this.#between(0, during), () => (index % 3 === 2 ? this.#cancelMany(index) : this.#cancelOne(index)));
    }
  }

  thaw(): void {
    for (const process of this.#processes) process.thaw('pause');
  }

  #cancelOne(index: number): void {
    const process = this.#begin('client', 'canceller');
    const client = this.#world.client(process);
    const actor = `canceller ${index}`;
    const options = { wait: 'PT20S', reason: 'simulated', actor };
    void this.#perform(process, async () => {
      if (this.#chance.random() < 0.3) {
        const { outcome, id } = await client.cancelByKey(JOB_TYPES.usual, `key-${this.#between(1, 3)}`, options);
        if (id !== undefined) this.#told(id, outcome, actor);
        return;
      }
      const id = this.#someId();
      if (id !== undefined) this.#told(id, await client.cancel(id, options), actor);
    });
  }

  #cancelMany(index: number): void {
    const process = this.#begin('admin', 'bulk-canceller');
    const admin = createAdminOver({ ...this.#world.ports(process), deployment: this.#world.deployment });
    const options = { limit: this.#between(1, 5), actor: `bulk ${index}` };
    const filter = { tenant: this.#pick(TENANTS) };
    void this.#perform(process, () => admin.cancelWhere(filter, options));
  }

  /** An end that was told is the end that the store has seen, and it is final. */
  #told(id: string, answer: CancelAnswer, actor: string): void {
    const { book, violations } = this.#world.checks;
    const entry = book.jobs.get(id);
    const ended = entry?.state === 'finished' ? entry.outcome : entry?.state;
    if (answer === 'cancelled' && ended !== 'cancelled') violations.add('cancel-told', `${id}: told cancelled, it is ${ended}`);
    // Another's request may reach a row that its executor deletes with a lost reply; nobody was told then that it was cancelled.
    const asked = entry?.row['cancelledBy'] === actor;
    if (answer === 'completed' && (entry?.state !== 'finished' || asked))
      violations.add('cancel-told', `${id}: told completed, it is ${ended}`);
  }

  #begin(role: 'client' | 'admin', name: string): SimProcess {
    const process = this.#world.process(role, name);
    this.#processes.push(process);
    return process;
  }

  async #perform(process: SimProcess, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NightcrewError)) throw error;
      this.#world.trace.note(this.#world.time.now, process.name, `failed: ${error.name}`);
    }
    this.#world.checks.hints.ended(process);
  }

  /** Rather one that runs: the others are no race. */
  #someId(): string | undefined {
    const { accepted, book } = this.#world.checks;
    const ids = [...accepted];
    const running = ids.filter((id) => book.jobs.get(id)?.state === 'running');
    if (running.length > 0 && this.#chance.random() < 0.7) return this.#pick(running);
    return ids.length === 0 ? undefined : this.#pick(ids.slice(-20));
  }

  #between(least: number, most: number): number {
    return least + Math.floor(this.#chance.random() * (most - least + 1));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#chance.random() * items.length)] as Item;
  }
}
