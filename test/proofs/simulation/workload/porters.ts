import { cleanUnlessOff } from '../../../../functions/cleaner/clean-unless-off.ts';
import type { EnqueueOptions } from '../../../../shared/job/enqueue-options.ts';
import { worldHas } from '../world/some-worlds.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { ladenType, type WorkItem } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const CLEAN_EVERY_MS = 20 * MINUTE;
const CLEAN_FOR_MS = 15 * MINUTE;

/** Producers of jobs whose payloads are kept outside their rows, and the cleaner of what no row needs. Only some worlds have them. */
export class Porters {
  readonly #world: World;
  readonly #actors: Actors;
  readonly #here: boolean;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 73 + 37);
    this.#here = worldHas('porter', world.options.seed);
  }

  /** Starts `count` of them, spread over `during` milliseconds, if this world has any. */
  start(count: number, during: number): void {
    if (!this.#here) return;
    this.#actors.spread(count, during, () => this.#begin());
    for (let at = 0; at < 12 * HOUR; at += CLEAN_EVERY_MS)
      this.#world.time.after(at + this.#actors.between(0, MINUTE), () => void this.clean());
  }

  thaw(): void {
    this.#actors.thaw();
  }

  /** A run of the cleaner, which its faults may end anywhere. */
  async clean(): Promise<void> {
    const process = this.#world.process('sweeper', 'cleaner');
    this.#actors.processes.push(process);
    const { tables, clock } = this.#world.ports(process);
    const payloads = this.#world.payloads.of(process);
    await cleanUnlessOff({ tables, clock, payloads }, { requestId: 'clean', deadlineAt: clock.now() + CLEAN_FOR_MS }).catch(
      (error: unknown) => this.#world.trace.note(this.#world.time.now, process.name, `failed: ${String(error)}`),
    );
  }

  /** Hours after everything has come to rest nothing is left that no row needs. */
  async finish(): Promise<void> {
    if (!this.#here) return;
    const { time, checks, store } = this.#world;
    await time.runUntil(time.now + 3 * HOUR);
    void this.clean();
    await time.runUntil(time.now + HOUR);
    checks.claims.checkEnd(store);
  }

  #begin(): void {
    const process = this.#actors.begin('client', 'porter');
    const client = this.#world.client(process);
    const laden = ladenType(this.#world.payloads.of(process));
    void this.#actors.perform(process, async () => {
      for (let left = this.#actors.between(1, 4); left > 0; left--) {
        this.#world.checks.accept((await client.enqueue(laden, this.#workItem(), this.#options())).id);
        await process.clock.wait(this.#actors.between(0, 3 * MINUTE));
      }
    });
  }

  #workItem(): WorkItem {
    const kind = this.#actors.pick(['plain', 'plain', 'flaky', 'hopeless', 'snoozing', 'continuing'] as const);
    const workMs = this.#actors.between(1, 5 * SECOND);
    return { kind, workMs, times: this.#actors.between(0, 2), delayMs: this.#actors.pick([30 * SECOND, 25 * MINUTE]), generations: 0 };
  }

  #options(): EnqueueOptions {
    const delay = this.#actors.pick([0, 0, 2 * MINUTE, 40 * MINUTE, 5 * HOUR]);
    const onConflict = this.#actors.pick(['reject', 'replace', 'keep-latest', undefined] as const);
    if (onConflict === undefined) return { delay };
    return { delay, key: { value: `laden-${this.#actors.between(1, 4)}`, onConflict } };
  }
}
