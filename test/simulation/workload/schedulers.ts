import { type Admin, createAdminOver } from '../../../shared/admin/admin.ts';
import { NightcrewError } from '../../../shared/core/errors.ts';
import { defineSchedule, MISSED_POLICIES, OVERLAP_POLICIES } from '../../../shared/core/schedule/definition.ts';
import { seededEntropy } from '../../../shared/memory/seeded-entropy.ts';
import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { JOB_TYPES } from './errand-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Those who make recurring schedules, which end by themselves, and pause, resume and start them by hand. */
export class Schedulers {
  readonly #world: World;
  readonly #processes: SimProcess[] = [];
  /** Chance of its own, so that what else a seed draws stays as it is. */
  readonly #chance: Entropy;
  #made = 0;

  constructor(world: World) {
    this.#world = world;
    this.#chance = seededEntropy(world.options.seed * 23 + 11);
  }

  /** Starts `count` of them, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    for (let index = 0; index < count; index++) this.#world.time.after(this.#between(0, during), () => this.#begin());
  }

  thaw(): void {
    for (const process of this.#processes) process.thaw('pause');
  }

  /** In the end somebody resumes what is paused still, also by an operator who came late. */
  resume(): void {
    const paused = this.#world.store.tables.rows('control').filter(({ pk, pausedAt }) => pk === 'schedule' && pausedAt !== undefined);
    if (paused.length === 0) return;
    this.#operate('resumer', async (admin) => {
      for (const { sk } of paused) await admin.schedules.resume(String(sk));
    });
  }

  #begin(): void {
    const name = `every-${++this.#made}`;
    const meddles = this.#chance.random() < 0.4;
    if (meddles) this.#world.checks.schedules.meddledWith(name);
    this.#operate('scheduler', async (admin, process) => {
      await admin.schedules.put(this.#schedule(name, process));
      for (let left = meddles ? this.#between(1, 4) : 0; left > 0; left--) {
        await process.clock.wait(this.#between(SECOND, 6 * MINUTE));
        await this.#meddle(admin, name, process);
      }
    });
  }

  #schedule(name: string, process: SimProcess) {
    const errand = { kind: this.#pick(['plain', 'plain', 'flaky', 'hopeless', 'snoozing'] as const), generations: 0 };
    const work = { workMs: this.#between(1, 20 * SECOND), times: this.#between(0, 2), delayMs: this.#pick([SECOND, 3 * MINUTE]) };
    return defineSchedule(name, {
      job: JOB_TYPES.usual,
      payload: { ...errand, ...work },
      every: `PT${this.#pick([30, 60, 120, 420])}S`,
      until: process.clock.now() + this.#between(5, 40) * MINUTE,
      missed: this.#pick(MISSED_POLICIES),
      overlap: this.#pick(OVERLAP_POLICIES),
      ...(this.#chance.random() < 0.3 ? { jitter: 20 * SECOND } : {}),
    });
  }

  async #meddle(admin: Admin, name: string, process: SimProcess): Promise<void> {
    const draw = this.#chance.random();
    if (draw < 0.5) {
      await admin.schedules.pause(name, { reason: 'simulated' });
      await process.clock.wait(this.#between(0, 8 * MINUTE));
      await admin.schedules.resume(name);
    } else if (draw < 0.7) await admin.schedules.runNow(name);
    else if (draw < 0.85) await admin.schedules.put(this.#schedule(name, process));
    else await admin.schedules.delete(name);
  }

  #operate(role: string, work: (admin: Admin, process: SimProcess) => Promise<void>): void {
    const process = this.#world.process('admin', role);
    this.#processes.push(process);
    const admin = createAdminOver({ ...this.#world.ports(process), deployment: this.#world.deployment });
    void this.#perform(process, () => work(admin, process));
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
