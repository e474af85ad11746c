import type { Admin } from '../../../../operate/admin.ts';
import { defineSchedule, MISSED_POLICIES, type OverlapPolicy } from '../../../../shared/features/schedules/model/definition.ts';
import { isScheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';
import { Actors } from './actors.ts';
import { JOB_TYPES } from './work-item-jobs.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

/** Those who make recurring schedules, which end by themselves, and pause, resume and start them by hand, and cancel occurrences. Some have a rival. */
export class Schedulers {
  readonly #world: World;
  readonly #actors: Actors;
  #made = 0;

  constructor(world: World) {
    this.#world = world;
    this.#actors = new Actors(world, world.options.seed * 23 + 11);
  }

  /** Starts `count` of them, spread over `during` milliseconds. */
  start(count: number, during: number): void {
    this.#actors.spread(count, during, () => this.#begin());
  }

  thaw(): void {
    this.#actors.thaw();
  }

  /** In the end somebody resumes what is paused still, also by an operator who came late. */
  resume(): void {
    const paused = this.#world.store.tables.rows('control').filter((row) => isScheduleRow(row) && row['pausedAt'] !== undefined);
    if (paused.length === 0) return;
    this.#actors.operate('resumer', async (admin) => {
      for (const { sk } of paused) await admin.schedules.resume(String(sk));
    });
  }

  #begin(): void {
    const name = `every-${++this.#made}`;
    const meddles = this.#actors.chance.random() < 0.4;
    if (meddles) this.#world.checks.schedules.meddledWith(name);
    this.#actors.operate('scheduler', async (admin, process) => {
      await admin.schedules.put(this.#schedule(name, process));
      for (let left = meddles ? this.#actors.between(1, 4) : 0; left > 0; left--) {
        await process.clock.wait(this.#actors.between(SECOND, 6 * MINUTE));
        await this.#meddle(admin, name, process);
      }
    });
    // Somebody else acts on the same schedule meanwhile.
    if (meddles && this.#actors.chance.random() < 0.5) this.#world.time.after(this.#actors.between(0, 10 * MINUTE), () => this.#join(name));
  }

  #join(name: string): void {
    this.#actors.operate('scheduler', async (admin, process) => {
      for (let left = this.#actors.between(1, 4); left > 0; left--) {
        await this.#meddle(admin, name, process);
        await process.clock.wait(this.#actors.between(0, 3 * MINUTE));
      }
    });
  }

  /** Cancels the next occurrence: from then on it must not come, whatever becomes of its schedule. */
  async #cancelNext(admin: Admin, name: string, process: SimProcess): Promise<void> {
    const { next } = (await admin.schedules.get(name)) ?? {};
    if (next === undefined) return;
    const outcome = await this.#world.client(process).cancel(next.id);
    if (outcome === 'cancelled') this.#world.checks.schedules.cancelled(next.id);
  }

  #schedule(name: string, process: SimProcess) {
    const workItem = { kind: this.#actors.pick(['plain', 'plain', 'flaky', 'hopeless', 'snoozing'] as const), generations: 0 };
    const work = {
      workMs: this.#actors.between(1, 20 * SECOND),
      times: this.#actors.between(0, 2),
      delayMs: this.#actors.pick([SECOND, 3 * MINUTE]),
    };
    return defineSchedule(name, {
      job: JOB_TYPES.usual,
      payload: { ...workItem, ...work },
      every: `PT${this.#actors.pick([30, 60, 120, 420])}S`,
      until: process.clock.now() + this.#actors.between(5, 40) * MINUTE,
      missed: this.#actors.pick(MISSED_POLICIES),
      overlap: later(this.#actors.pick(['allow', 'skip', 'queue'] as const), work.workMs),
      ...(this.#actors.chance.random() < 0.3 ? { jitter: 20 * SECOND } : {}),
      ...this.#world.calendar?.recurrence(),
    });
  }

  async #meddle(admin: Admin, name: string, process: SimProcess): Promise<void> {
    const edit = this.#world.calendar?.edit();
    if (edit !== undefined) return void (await admin.schedules.edit(name, edit));
    const draw = this.#actors.chance.random();
    if (draw < 0.5) {
      await admin.schedules.pause(name, { reason: 'simulated' });
      await process.clock.wait(this.#actors.between(0, 8 * MINUTE));
      await admin.schedules.resume(name);
    } else if (draw < 0.6) await this.#cancelNext(admin, name, process);
    else if (draw < 0.7) await admin.schedules.runNow(name);
    else if (draw < 0.85) await admin.schedules.put(this.#schedule(name, process));
    else await admin.schedules.delete(name);
  }
}

/** Two policies share the draw of others, so that worlds without schedules stay as they were before there were five. */
function later(drawn: OverlapPolicy, workMs: number): OverlapPolicy {
  if (workMs % 2 === 0) return drawn;
  return drawn === 'allow' ? 'cancel-other' : drawn === 'skip' ? 'buffer-one' : drawn;
}
