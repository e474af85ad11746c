import { STORE_FAULT_NAMES, type StoreFault } from './fault-plan.ts';
import { pauseBriefly } from './call-out.ts';
import { HotPartition } from './hot-partition.ts';
import type { Step, StepFault, StoreChaos, StoreRequest } from '../world/sim-tables.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { World } from '../world/world.ts';

const ONLY_WRITES: readonly StoreFault[] = ['late-write', 'conflict', 'zombie', 'frozen-after'];
const READ_FAULTS = STORE_FAULT_NAMES.filter((fault) => !ONLY_WRITES.includes(fault));
const STRONG_READ_FAULTS = READ_FAULTS.filter((fault) => fault !== 'stale-read');
const WRITE_FAULTS = STORE_FAULT_NAMES.filter((fault) => fault !== 'stale-read');

/** What goes wrong at a step that is no request to the store, and how often. A wait has no reply, and nothing that comes after it. */
const STEP_FAULTS: readonly (readonly [StepFault, number])[] = [
  ['crash-before', 0.004],
  ['pause', 0.004],
  ['crash-after', 0.004],
  ['lost-reply', 0.02],
];
const WAIT_FAULTS = STEP_FAULTS.slice(0, 2);

const BRIEF_PAUSE = 0.004;
const MOST_LATENCY_MS = 40;
const MINUTE = 60_000;

/** Faults of requests by the plan of the seed, and outages of the whole store. */
export class SwarmChaos implements StoreChaos {
  /** Until then nothing is answered. */
  downUntil = 0;
  readonly #world: World;

  readonly hot: HotPartition;

  constructor(world: World) {
    this.#world = world;
    this.hot = new HotPartition(world.plan.wide, () => world.time.now);
  }

  faultOf(process: SimProcess, request: StoreRequest): StoreFault | undefined {
    if (this.#world.time.now < this.downUntil) return 'unavailable';
    if (this.hot.throttles(request)) return 'throttled';
    if (process.role === 'executor' && this.#world.plan.wide.strikes('timers-first', BRIEF_PAUSE)) pauseBriefly(this.#world, process);
    const isWrite = request.op === 'write' || request.op === 'transact' || request.op === 'putAll';
    return this.#world.plan.pick(isWrite ? WRITE_FAULTS : request.stale ? READ_FAULTS : STRONG_READ_FAULTS);
  }

  faultOfStep(_process: unknown, step: Step): StepFault | undefined {
    const { wide } = this.#world.plan;
    return (step === 'wait' ? WAIT_FAULTS : STEP_FAULTS).find(([, rate]) => wide.strikes('step-fault', rate))?.[0];
  }

  partly(chance: number): boolean {
    return this.#world.plan.wide.strikes('partial-batch', chance);
  }

  latency(): number {
    return 1 + Math.floor(this.#world.entropy.random() ** 3 * MOST_LATENCY_MS);
  }

  /** Up to a few minutes in a sandbox, which Lambda kills in the middle of it; up to two hours anywhere else. */
  pauseMs({ role }: { readonly role: string }): number {
    return this.#world.between(100, role === 'client' || role === 'admin' ? 120 * MINUTE : 8 * MINUTE);
  }

  lateMs(): number {
    return this.#world.between(1_000, 15 * MINUTE);
  }
}
