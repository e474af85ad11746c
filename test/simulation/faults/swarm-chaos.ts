import { STORE_FAULT_NAMES, type StoreFault } from './fault-plan.ts';
import type { StoreChaos } from '../world/sim-tables.ts';
import type { World } from '../world/world.ts';

const ONLY_WRITES: readonly StoreFault[] = ['late-write', 'conflict', 'zombie', 'frozen-after'];
const READ_FAULTS = STORE_FAULT_NAMES.filter((fault) => !ONLY_WRITES.includes(fault));
const STRONG_READ_FAULTS = READ_FAULTS.filter((fault) => fault !== 'stale-read');
const WRITE_FAULTS = STORE_FAULT_NAMES.filter((fault) => fault !== 'stale-read');

const MOST_LATENCY_MS = 40;
const MINUTE = 60_000;

/** Faults of requests by the plan of the seed, and outages of the whole store. */
export class SwarmChaos implements StoreChaos {
  /** Until then nothing is answered. */
  downUntil = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  faultOf(_process: unknown, request: { readonly op: string; readonly stale: boolean }): StoreFault | undefined {
    if (this.#world.time.now < this.downUntil) return 'unavailable';
    const isWrite = request.op === 'write' || request.op === 'transact' || request.op === 'putAll';
    return this.#world.plan.pick(isWrite ? WRITE_FAULTS : request.stale ? READ_FAULTS : STRONG_READ_FAULTS);
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
