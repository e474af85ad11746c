import type { LeasedJob } from '../../shared/job/job.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { claim } from '../../shared/store/claim.ts';
import { type FaultyTables, faultyTables } from './faulty-tables.ts';
import { Rig, type RigOptions } from './rig.ts';
import { rigTables } from './rig-tables.ts';

const MINUTE = 60_000;

/** A rig whose store can be made to fail. */
export type FaultyRig = Rig & { readonly faults: FaultyTables };

/** A rig over tables in which chosen requests go wrong. */
export function faultyRig(options: RigOptions = {}): FaultyRig {
  const clock = options.clock ?? new SettableClock();
  const faults = faultyTables(options.tables ?? rigTables(clock));
  return Object.assign(new Rig({ ...options, clock, tables: faults.tables }), { faults });
}

/** Claims a job for `ms`, as an executor does that is about to die or to be a zombie. */
export async function take(rig: Rig, id: string, ms = MINUTE, alone = true): Promise<LeasedJob> {
  const lease = { owner: executorOwner(rig.deps.entropy.token(), alone), expiresAt: rig.clock.now() + ms };
  const claimed = await claim(rig.tables, { id, n: 1 }, lease, rig.clock.now());
  if (claimed.result !== 'claimed') throw new Error(claimed.result);
  return claimed.job;
}

/** Every message that is visible now is gone, as if its receiver had died with it or SQS had lost it. */
export function loseMessages(rig: Rig): void {
  for (const queue of rig.queues) for (const message of rig.hints.receive(queue, 10_000)) rig.hints.acknowledge(message);
}
