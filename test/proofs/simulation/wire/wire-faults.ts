import type { Entropy } from '../../../../shared/ports/entropy.ts';
import { type BATCH_FAULTS, type FaultPlan, type REFUSAL_FAULTS, swarmScale, WIRE_FAULTS, type WireFault } from '../faults/fault-plan.ts';

/** What a request can meet on the wire besides what any store does: each seed has some of it, by a chance of its own. */
export class WireFaults {
  readonly entropy: Entropy;
  readonly #plan: FaultPlan;
  readonly #rates: ReadonlyMap<WireFault, number>;

  /** `kind`: those of any request, of the statements of a batch, or of a whole batch. */
  constructor(plan: FaultPlan, entropy: Entropy, kind: typeof WIRE_FAULTS | typeof BATCH_FAULTS | typeof REFUSAL_FAULTS = WIRE_FAULTS) {
    this.#plan = plan;
    this.entropy = entropy;
    this.#rates = new Map((Object.entries(kind) as [WireFault, number][]).map(([fault, rate]) => [fault, rate * swarmScale(entropy)]));
  }

  /** Whether the fault strikes now; counts it if it does. */
  strikes(fault: WireFault): boolean {
    const rate = this.#plan.stopped ? 0 : (this.#rates.get(fault) ?? 0);
    return rate > 0 && this.entropy.random() < rate && this.#plan.happens(fault);
  }

  /** A number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.entropy.random() * (most - least + 1));
  }
}
