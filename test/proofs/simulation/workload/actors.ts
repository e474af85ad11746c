import type { Admin } from '../../../../operate/admin.ts';
import { PUT_WINDOW_MS } from '../../../../operate/wait-for-put-window.ts';
import { NightcrewError } from '../../../../shared/job/errors.ts';
import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';
import type { Entropy } from '../../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';

/** People of one kind who use the product: each thing that one does is a process of its own, which its faults may end anywhere. */
export class Actors {
  readonly processes: SimProcess[] = [];
  /** Chance of their own, so that what else a seed draws stays as it is. */
  readonly chance: Entropy;
  readonly #world: World;

  constructor(world: World, seed: number) {
    this.#world = world;
    this.chance = seededEntropy(seed);
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.chance.random() * (most - least + 1));
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.chance.random() * items.length)] as Item;
  }

  begin(role: 'client' | 'admin', name: string): SimProcess {
    const process = this.#world.process(role, name);
    this.processes.push(process);
    return process;
  }

  /** Lets `count` of them begin, spread over `during` milliseconds. */
  spread(count: number, during: number, begin: (index: number) => void): void {
    for (let index = 0; index < count; index++) this.#world.time.after(this.between(0, during), () => begin(index));
  }

  /** What an operator does with an admin of his own. */
  operate(name: string, work: (admin: Admin, process: SimProcess) => Promise<unknown>): void {
    const process = this.begin('admin', name);
    const admin = this.#world.admin(process, { putWindowMs: PUT_WINDOW_MS });
    void this.perform(process, () => work(admin, process));
  }

  /** An operator who acts several times, each time after a pause. */
  actNowAndThen(
    name: string,
    { turns: [least, most], pauseMs }: { readonly turns: readonly [number, number]; readonly pauseMs: number },
    act: (admin: Admin, process: SimProcess) => Promise<unknown>,
  ): void {
    this.operate(name, async (admin, process) => {
      for (let left = this.between(least, most); left > 0; left--) {
        await act(admin, process);
        await process.clock.wait(this.between(0, pauseMs));
      }
    });
  }

  /** It may fail as a user's call may: with an error of ours, after which nothing is owed. */
  async perform(process: SimProcess, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof NightcrewError)) throw error;
      this.#world.trace.note(this.#world.time.now, process.name, `failed: ${error.name}`);
    }
    this.#world.checks.hints.ended(process);
  }

  thaw(): void {
    for (const process of this.processes) process.thaw('pause');
  }
}
