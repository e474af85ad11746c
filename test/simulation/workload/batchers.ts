import type { BatchOptions } from '../../../shared/client/batch-options.ts';
import type { JobClient } from '../../../shared/client/job-client.ts';
import type { BatchCallback } from '../../../shared/core/batch-progress.ts';
import { type FollowUp, followUp } from '../../../shared/core/enqueue-options.ts';
import { NightcrewError } from '../../../shared/core/errors.ts';
import { seededEntropy } from '../../../shared/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { type Errand, JOB_TYPES } from './errand-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const KINDS: readonly Errand['kind'][] = [
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
  readonly processes: SimProcess[] = [];
  readonly #world: World;
  /** Chance of its own, so that what else a seed draws stays as it is. */
  readonly #chance: Entropy;

  constructor(world: World) {
    this.#world = world;
    this.#chance = seededEntropy(world.options.seed * 41 + 5);
  }

  /** Starts `count` of them, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    for (let index = 0; index < count; index++) this.#world.time.after(this.#between(0, during), () => this.#begin());
  }

  #begin(): void {
    const process = this.#world.process('client', 'batcher');
    this.processes.push(process);
    const client = this.#world.client(process);
    void this.#perform(process, async () => {
      const id = await this.#make(client, process);
      if (id !== undefined && this.#chance.random() < 0.15) {
        await process.clock.wait(this.#between(0, 2 * MINUTE));
        await client.cancelBatch(id);
      }
    });
  }

  async #make(client: JobClient, process: SimProcess): Promise<string | undefined> {
    const errands = Array.from({ length: this.#between(0, 6) }, () => this.#errand());
    if (this.#chance.random() < 0.5) {
      const { id, ids } = await client.enqueueBatch(JOB_TYPES.usual, errands, this.#options());
      this.#accept(ids);
      return id;
    }
    const batch = await client.createBatch(this.#options());
    const nested = this.#chance.random() < 0.3;
    if (nested) this.#accept((await client.enqueueBatch(JOB_TYPES.usual, [this.#errand()], { ...this.#options(), parent: batch.id })).ids);
    for (const errand of errands) {
      const delay = this.#pick([0, 0, 2 * MINUTE, 25 * MINUTE]);
      this.#accept([(await batch.enqueue(JOB_TYPES.usual, errand, { delay })).id]);
      await process.clock.wait(this.#between(0, 5 * SECOND));
    }
    // One that nobody seals: its children run, and nothing is told.
    if (!nested && this.#chance.random() < 0.15) return undefined;
    await batch.seal();
    return batch.id;
  }

  #accept(ids: readonly (string | undefined)[]): void {
    for (const id of ids) if (id !== undefined) this.#world.checks.accept(id);
  }

  #options(): BatchOptions {
    const tells = (name: BatchCallback): FollowUp => followUp(JOB_TYPES.usual, { ...this.#errand(), kind: 'plain', tells: name });
    return {
      onCompleted: tells('completed'),
      onSucceeded: tells('succeeded'),
      onFailed: tells('failed'),
      maxFailures: this.#pick([0, 0, 1]),
      ...(this.#chance.random() < 0.5 ? { expected: 10 } : {}),
    };
  }

  #errand(): Errand {
    return {
      kind: this.#pick(KINDS),
      workMs: this.#between(1, 5 * SECOND),
      times: this.#between(0, 2),
      delayMs: this.#pick([SECOND, 3 * MINUTE]),
      generations: 1,
    };
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

  #between(least: number, most: number): number {
    return least + Math.floor(this.#chance.random() * (most - least + 1));
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#chance.random() * items.length)] as Item;
  }
}
