import { describe, expect, it } from 'vitest';
import { executorOwner } from '../../../shared/job/lock-owner.ts';
import { iso } from '../../../shared/job/instant.ts';
import { groupLockKey, lockRow } from '../../../shared/store/control-rows.ts';
import { type ExecutorInvocation, openInvocation } from '../../../functions/executor/invocation.ts';
import { GroupLock } from '../../../functions/executor/group-lock.ts';
import { faultyRig } from '../../support/faulty-rig.ts';
import { aimAt } from '../../support/faulty-tables.ts';

const LEASE = 60_000;
const GROUP = 'group';

function stage(beyondMs = 0) {
  const rig = faultyRig();
  const opened = openInvocation(rig.deps, rig.invocation());
  // As outside Lambda, where each lease begins when it is taken.
  const invocation: ExecutorInvocation = {
    ...opened,
    get leaseUntil() {
      return rig.clock.now() + LEASE;
    },
  };
  const lock = new GroupLock(invocation, GROUP, executorOwner('mine', false), beyondMs);
  const row = () => rig.tables.get('control', groupLockKey(GROUP));
  const heldFor = async (ms: number): Promise<void> => {
    const until = { now: rig.clock.now(), expiresAt: rig.clock.now() + ms };
    await rig.tables.write({ op: 'put', table: 'control', row: lockRow(groupLockKey(GROUP), executorOwner('other', false), until) });
  };
  return { rig, batch: invocation, lock, row, heldFor };
}

describe('the lock of a group', () => {
  it('is taken for as long as a lease that is taken with it, and a while beyond', async () => {
    const { rig, lock, row } = stage(2_000);
    expect(await lock.take()).toBeUndefined();
    expect(await row()).toMatchObject({ lockExpiresAt: iso(rig.clock.now() + LEASE + 2_000) });
    expect(lock.held.until).toBe(rig.clock.now() + LEASE + 2_000);
  });

  it('is taken again before the next job, whose lease would outlast it', async () => {
    const { rig, lock, row } = stage();
    await lock.take();
    await rig.clock.advance(LEASE / 2);
    expect(await lock.take()).toBeUndefined();
    expect(await row()).toMatchObject({ lockExpiresAt: iso(rig.clock.now() + LEASE) });
  });

  it.each([
    { heldMs: 30_000, againMs: 30_000 },
    { heldMs: 10, againMs: 1_000 },
  ])('of another is asked for again when that ends, not within a second ($heldMs ms)', async ({ heldMs, againMs }) => {
    const { lock, heldFor } = stage();
    await heldFor(heldMs);
    expect(await lock.take()).toBe(againMs);
  });

  it('stays closed for a group whose handler may still run, until its lease is over', async () => {
    const { batch: invocation, lock, row } = stage();
    await lock.take();
    invocation.keepLock(GROUP);
    expect(await lock.take()).toBe(LEASE);
    await lock.release();
    expect(await row()).toBeDefined();
  });

  it('is closed while the store does not answer, which is journalled, and given back in case it was taken', async () => {
    const { rig, lock, row } = stage();
    rig.faults.next(aimAt('update', 'control'), 'lost-for-good', 2);
    rig.faults.next(aimAt('put', 'control'), 'lost-for-good', 2);
    expect(await lock.take()).toBe(rig.deployment.settings.leaseMarginMs);
    expect(rig.journal.count('store-failed')).toBe(1);
    expect(await row()).toBeDefined();
    await lock.release();
    expect(await row()).toBeUndefined();
  });

  it('costs no write to give back when it was never taken', async () => {
    const { rig, lock, heldFor } = stage();
    await heldFor(LEASE);
    await lock.take();
    let writes = 0;
    rig.faults.before(
      () => true,
      async () => writes++,
    );
    await lock.release();
    expect(writes).toBe(0);
  });

  it('that cannot be given back is journalled and left to expire', async () => {
    const { rig, lock, row } = stage();
    await lock.take();
    rig.faults.next(aimAt('delete', 'control'), 'unavailable');
    await lock.release();
    expect(rig.journal.count('store-failed')).toBe(1);
    expect(await row()).toBeDefined();
  });
});
