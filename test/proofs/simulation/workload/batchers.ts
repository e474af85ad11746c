import type { BatchOptions } from '../../../../shared/features/batches/client/batch-options.ts';
import type { JobClient } from '../../../../shared/client/job-client.ts';
import type { BatchCallback } from '../../../../shared/features/batches/model/batch-progress.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import type { FollowUp } from '../../../../shared/job/job-type.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { type WorkItem, JOB_TYPES } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const KINDS: readonly WorkItem['kind'][] = [
  'plain',
  'plain',
  'flaky',
  'hopeless',
  'refused',
  'snoozing',
  'continuing',
  'joining',
  'joining',
  'poison',
];

/** Those who make batches; some die before they seal them, and some cancel them. */
export class Batchers {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 41 + 5);
  }

  /** Starts `count` of them, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    this.#actors.spread(count, during, () => this.#begin());
  }

  thaw(): void {
    this.#actors.thaw();
  }

  #begin(): void {
    const process = this.#actors.begin('client', 'batcher');
    const client = this.#world.client(process);
    void this.#actors.perform(process, async () => {
      const id = await this.#make(client, process);
      if (id !== undefined && this.#actors.chance.random() < 0.15) {
        await process.clock.wait(this.#actors.between(0, 2 * MINUTE));
        await client.cancelBatch(id);
      }
    });
  }

  async #make(client: JobClient, process: SimProcess): Promise<string | undefined> {
    const workItems = Array.from({ length: this.#actors.between(0, 6) }, () => this.#workItem());
    if (this.#actors.chance.random() < 0.5) {
      const { id, ids } = await client.enqueueBatch(JOB_TYPES.usual, workItems, this.#options());
      this.#accept(ids);
      return id;
    }
    const batch = await client.createBatch(this.#options());
    const nested = this.#actors.chance.random() < 0.3;
    if (nested)
      this.#accept((await client.enqueueBatch(JOB_TYPES.usual, [this.#workItem()], { ...this.#options(), parent: batch.id })).ids);
    for (const workItem of workItems) {
      const delay = this.#actors.pick([0, 0, 2 * MINUTE, 25 * MINUTE]);
      this.#accept([(await batch.enqueue(JOB_TYPES.usual, workItem, { delay })).id]);
      await process.clock.wait(this.#actors.between(0, 5 * SECOND));
    }
    // One that nobody seals: its children run, and nothing is told.
    if (!nested && this.#actors.chance.random() < 0.15) return undefined;
    await batch.seal();
    return batch.id;
  }

  #accept(ids: readonly (string | undefined)[]): void {
    for (const id of ids) if (id !== undefined) this.#world.checks.accept(id);
  }

  #options(): BatchOptions {
    const tells = (name: BatchCallback): FollowUp => followUp(JOB_TYPES.usual, { ...this.#workItem(), kind: 'plain', tells: name });
    return {
      onCompleted: tells('completed'),
      onSucceeded: tells('succeeded'),
      onFailed: tells('failed'),
      maxFailures: this.#actors.pick([0, 0, 1]),
      ...(this.#actors.chance.random() < 0.5 ? { expected: 10 } : {}),
    };
  }

  #workItem(): WorkItem {
    return {
      kind: this.#actors.pick(KINDS),
      workMs: this.#actors.between(1, 5 * SECOND),
      times: this.#actors.between(0, 2),
      delayMs: this.#actors.pick([SECOND, 3 * MINUTE]),
      generations: 1,
    };
  }
}
