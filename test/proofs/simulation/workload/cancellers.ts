import type { CancelAnswer } from '../../../../shared/client/cancel-job.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES } from './work-item-jobs.ts';
import { TENANTS } from './producers.ts';

/** Those who cancel and want to be told who won, by id and by key, and an operator who cancels in bulk. What they are told is held against the store. */
export class Cancellers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 23 + 11);
  }

  /** Starts `count` cancellers, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    this.#actors.spread(count, during, (index) => (index % 3 === 2 ? this.#cancelMany(index) : this.#cancelOne(index)));
  }

  thaw(): void {
    this.#actors.thaw();
  }

  #cancelOne(index: number): void {
    const process = this.#actors.begin('client', 'canceller');
    const client = this.#world.client(process);
    const actor = `canceller ${index}`;
    const options = { wait: 'PT20S', reason: 'simulated', actor };
    void this.#actors.perform(process, async () => {
      if (this.#actors.chance.random() < 0.3) {
        const { outcome, id } = await client.cancelByKey(JOB_TYPES.usual, `key-${this.#actors.between(1, 3)}`, options);
        if (id !== undefined) this.#told(id, outcome, actor);
        return;
      }
      const id = this.#someId();
      if (id !== undefined) this.#told(id, await client.cancel(id, options), actor);
    });
  }

  #cancelMany(index: number): void {
    const options = { limit: this.#actors.between(1, 5), actor: `bulk ${index}` };
    const filter = { tenant: this.#actors.pick(TENANTS) };
    this.#actors.operate('bulk-canceller', (admin) => admin.cancelWhere(filter, options));
  }

  /** An end that was told is the end that the store has seen, and it is final. */
  #told(id: string, answer: CancelAnswer, actor: string): void {
    const { tracker, violations, told } = this.#world.checks;
    told.cancel(id, answer);
    if (answer === 'completed' && tracker.jobs.get(id)?.row['cancelledBy'] === actor)
      violations.add('cancel-told', `${id}: told completed, though ${actor} had asked it to stop`);
  }

  /** Rather one that runs: the others are no race. */
  #someId(): string | undefined {
    const { accepted, tracker } = this.#world.checks;
    const ids = [...accepted];
    const running = ids.filter((id) => tracker.jobs.get(id)?.state === 'running');
    if (running.length > 0 && this.#actors.chance.random() < 0.7) return this.#actors.pick(running);
    return ids.length === 0 ? undefined : this.#actors.pick(ids.slice(-20));
  }
}
