import { type AcquirerReport, acquireTimers } from '../../functions/acquirer/acquire-timers.ts';
import { sweep, type SweepReport } from '../../functions/sweeper/sweep.ts';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { createSums } from '../../shared/lambda/connect-sums.ts';
import type { ErrorGroup } from '../../shared/features/error-groups/admin/error-group.ts';
import { type FaultyTables, faultyTables } from './faulty-tables.ts';
import { Rig, type RigOptions } from './rig.ts';

/** A rig whose functions sum counts as in a deployment: one sandbox, which writes its sums at the end of each invocation. */
export interface SummingRig {
  readonly rig: Rig;
  readonly faults: FaultyTables;
  readonly admin: Admin;
  /** Delivers until no message is visible, as invocations of one sandbox. */
  readonly drain: () => Promise<void>;
  readonly sweep: () => Promise<SweepReport>;
  readonly fire: () => Promise<AcquirerReport>;
  /** Writes everything, as a process that ends. */
  readonly end: () => Promise<void>;
  /** A second sandbox, without the sums of the first. */
  readonly freshSandbox: () => void;
  readonly groups: () => Promise<readonly ErrorGroup[]>;
}

/** Opens one. */
export function summingRig(options: RigOptions): SummingRig {
  const rig = new Rig(options);
  const faults = faultyTables(rig.tables);
  const { tables } = faults;
  const connect = () => createSums()({ deployment: rig.deployment, tables, journal: rig.journal, clock: rig.clock });
  let sums = connect();
  const deps = () => ({
    ...rig.deps,
    tables,
    journal: sums.journal,
    errorGroups: sums.errorGroups,
    flushEvents: async (all = false) => sums.flush(all),
  });
  const tick = () => ({ requestId: 'tick', deadlineAt: rig.clock.now() + 60_000 });
  const admin = createAdminOver({ ...rig.deps, tables });
  const ended = async <Result>(work: Promise<Result>): Promise<Result> => {
    const result = await work;
    await sums.flush();
    return result;
  };
  return {
    rig,
    faults,
    admin,
    drain: async () => {
      for (let round = 0; round < 100; round++) {
        const batches = rig.queues.map((queue) => rig.hints.receive(queue, 10)).filter((messages) => messages.length > 0);
        if (batches.length === 0) return;
        for (const messages of batches) await ended(rig.execute(messages, deps()));
      }
    },
    sweep: async () => ended(sweep({ ...deps(), backlog: rig.hints }, tick())),
    fire: async () => ended(acquireTimers(deps(), { acquirer: 0, of: 1 }, tick())),
    end: async () => sums.flush(true),
    freshSandbox: () => {
      sums = connect();
    },
    groups: async () => (await admin.errorGroups({ state: 'all' })).groups,
  };
}
