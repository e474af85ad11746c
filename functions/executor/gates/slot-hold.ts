import { handOver } from '../../../shared/features/limits/store/release-parked.ts';
import { inForce } from '../../../shared/features/limits/model/operator-limit.ts';
import { extendSlot, type HeldSlot } from '../../../shared/features/limits/store/slots.ts';
import type { Hold } from '../invocation/holds.ts';

/** A slot of a limit. When the claim has ended, it goes to the job that has waited longest for it. */
export const slotHold = (slot: HeldSlot): Hold => ({
  extend: async ({ tables }, job, until) => extendSlot(tables, job, slot, until),
  release: async (deps, job) => {
    // Its number may have changed while the job ran.
    const { others } = await deps.rules.current(deps);
    return handOver(deps, job, { ...slot, limit: inForce(slot.limit, others) });
  },
});
