import type { JobClient } from '../../../../shared/client/job-client.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { BacklogFullError } from '../../../../shared/features/backlogs/model/backlog-full-error.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES, type WorkItem } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** The usual type as these producers define it: others have no bound, and their jobs are counted all the same. */
const boundedTo = (maxBacklog: number) =>
  defineJob(JOB_TYPES.usual.name, { payload: JOB_TYPES.usual.schema, group: ({ group }) => group, retry: 'R4/PT20S', maxBacklog });

/** Producers whose type has a bound on its backlog. Only some worlds have them. */
export class Bounders {
  readonly #world: World;
  readonly #actors: Actors;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 67 + 29);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!worldHas('bounder', this.#world.options.seed)) return;
    this.#actors.spread(count, during, () => this.#begin());
  }

  thaw(): void {
    this.#actors.thaw();
  }

  #begin(): void {
    const process = this.#actors.begin('client', 'bounder');
    const client = this.#world.client(process);
    const type = boundedTo(this.#actors.between(1, 6));
    void this.#actors.perform(process, async () => {
      for (let left = this.#actors.between(2, 8); left > 0; left--) {
        await this.#enqueue(client, type);
        await process.clock.wait(this.#actors.between(0, 2 * MINUTE));
      }
    });
  }

  async #enqueue(client: JobClient, type: ReturnType<typeof boundedTo>): Promise<void> {
    const { checks } = this.#world;
    const delay = this.#actors.pick([0, 0, 30 * SECOND, 5 * MINUTE]);
    try {
      if (this.#actors.chance.random() < 0.6) return checks.accept((await client.enqueue(type, this.#workItem(), { delay })).id);
      const workItems = Array.from({ length: this.#actors.between(1, 5) }, () => this.#workItem());
      const { ids } = await client.enqueueMany(type, workItems, { delay });
      for (const id of ids) if (id !== undefined) checks.accept(id);
    } catch (error) {
      if (!(error instanceof BacklogFullError)) throw error;
      checks.backlogs.refused(error);
    }
  }

  #workItem(): WorkItem {
    const kind = this.#actors.pick(['plain', 'plain', 'flaky', 'hopeless', 'snoozing'] as const);
    return { kind, workMs: this.#actors.between(1, 2 * SECOND), times: this.#actors.between(0, 2), delayMs: 30 * SECOND, generations: 0 };
  }
}
