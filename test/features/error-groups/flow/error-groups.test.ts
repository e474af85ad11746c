import { describe, expect, it } from 'vitest';
import type { ErrorGroup } from '../../../../shared/features/error-groups/admin/error-group.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { countWrites } from '../../../support/faulty-tables.ts';
import { errorGroupKey } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { settleGroup } from '../../../../shared/features/error-groups/store/settle-error-group.ts';
import { failingPayments, mail, pay } from '../../../support/failing-payments.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

const isGroupWrite = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.table === 'control' && (write.op === 'put' ? write.row['pk'] : write.key['pk']) === 'error-groups');

const only = (groups: readonly ErrorGroup[]): ErrorGroup => {
  expect(groups).toHaveLength(1);
  return groups[0] as ErrorGroup;
};

describe('an error group', () => {
  it('gathers the dead letters of one fault, whatever varies in its message, and shows the last of them', async () => {
    const { rig, drain, groups } = failingPayments();
    const first = rig.clock.now();
    await rig.client.enqueue(pay, { why: 'order 1 is unknown' });
    await drain();
    await rig.clock.advance(MINUTE);
    const { id } = await rig.client.enqueue(pay, { why: 'order 22 is unknown' });
    await drain();
    expect(only(await groups())).toMatchObject({
      type: 'pay',
      state: 'open',
      open: 2,
      seen: 2,
      message: 'order 22 is unknown',
      sample: id,
      firstSeen: new Date(first),
      lastSeen: new Date(first + MINUTE),
    });
  });

  it('is another one for another type, message or error', async () => {
    const { rig, drain, groups } = failingPayments();
    await rig.client.enqueue(pay, { why: 'no' });
    await rig.client.enqueue(pay, { why: 'never' });
    await rig.client.enqueue(mail, {});
    await drain();
    expect((await groups()).map(({ type }) => type).toSorted()).toEqual(['mail', 'pay', 'pay']);
  });

  it('has its row before the first of its dead letters is there', async () => {
    const { rig, faults, drain, groups } = failingPayments();
    let seen: readonly ErrorGroup[] = [];
    faults.before(
      (writes) => writes.some(({ table }) => table === 'deadLetters'),
      async () => {
        seen = await groups();
      },
    );
    await rig.client.enqueue(pay, {});
    await drain();
    expect(faults.pending()).toBe(0);
    expect(only(seen)).toMatchObject({ seen: 1 });
  });

  it('that the store refuses keeps no job from being buried, and is journalled', async () => {
    const { rig, faults, drain } = failingPayments();
    faults.next(isGroupWrite, 'unavailable', 50);
    await rig.client.enqueue(pay, {});
    await drain();
    expect((await rig.counts()).deadLetters).toBe(1);
    expect(rig.journal.entries).toContainEqual(
      expect.objectContaining({ event: 'store-failed', reason: expect.stringMatching(/^error-group#/) }),
    );
  });

  it('that the store takes long for keeps no job from being buried for more than a second', async () => {
    const { rig, faults, drain, groups, end } = failingPayments();
    const begun = rig.clock.now();
    faults.before(isGroupWrite, async () => rig.clock.wait(MINUTE));
    await rig.client.enqueue(pay, {});
    const run = drain();
    for (let step = 0; step < 12; step++) {
      await rig.settle();
      await rig.clock.advance(100);
    }
    expect((await rig.rows('deadLetters'))[0]?.['failedAt']).toBe(new Date(begun).toISOString());
    await rig.clock.advance(MINUTE);
    await run;
    await end();
    expect(only(await groups())).toMatchObject({ seen: 1, open: 1 });
  });

  it('is told the deaths that the store refused as soon as it takes them', async () => {
    const { rig, faults, drain, groups } = failingPayments();
    faults.next(isGroupWrite, 'unavailable', 2);
    await rig.client.enqueue(pay, {});
    await drain();
    await rig.clock.advance(11 * SECOND);
    await rig.client.enqueue(pay, {});
    await drain();
    expect(only(await groups())).toMatchObject({ seen: 2, open: 2 });
  });

  it('is written twice in ten seconds at most by a sandbox, however many jobs die of it', async () => {
    const { rig, drain, groups, faults } = failingPayments();
    await rig.client.enqueue(pay, {});
    await drain();
    const writes = countWrites(faults, isGroupWrite);
    await rig.clock.advance(10 * SECOND);
    for (let round = 0; round < 9; round++) {
      await rig.client.enqueueMany(
        pay,
        Array.from({ length: 30 }, () => ({})),
      );
      await drain();
      await rig.clock.advance(SECOND);
    }
    expect(writes()).toBeLessThanOrEqual(2);
    await rig.clock.advance(10 * SECOND);
    await rig.client.enqueue(mail, {});
    await drain();
    expect((await groups()).find(({ type }) => type === 'pay')).toMatchObject({ seen: 271, open: 271 });
  });

  it('counts no death that was another decision in the end', async () => {
    const { rig, drain, faults, groups, end } = failingPayments();
    const { id } = await rig.client.enqueue(pay, {});
    faults.before(
      (writes) => writes.some(({ table }) => table === 'deadLetters'),
      async () => rig.client.cancel(id),
    );
    await drain();
    await end();
    expect((await rig.counts()).deadLetters).toBe(0);
    expect(only(await groups())).toMatchObject({ seen: 0, open: 0, state: 'closed' });
  });

  it('counts a burial once whose reply was lost', async () => {
    const { rig, drain, faults, groups, end } = failingPayments();
    faults.next((writes) => writes.some(({ table }) => table === 'deadLetters'), 'lost-for-good');
    await rig.client.enqueue(pay, {});
    await rig.until(drain());
    await end();
    expect((await rig.counts()).deadLetters).toBe(1);
    expect(only(await groups())).toMatchObject({ seen: 1, open: 1 });
  });
});

describe('an error group', () => {
  /** Five dead letters of one fault, a while ago. */
  async function five() {
    const all = failingPayments();
    const { ids } = await all.rig.client.enqueueMany(
      pay,
      Array.from({ length: 5 }, () => ({})),
    );
    await all.drain();
    await all.end();
    await all.rig.clock.advance(5 * MINUTE);
    return { ...all, ids: ids.map(String) };
  }

  it('is open until the last of its jobs was redriven, got retries or was deleted', async () => {
    const { admin, ids, groups } = await five();
    const [a = '', b = '', c = '', d = '', e = ''] = ids;
    expect(await admin.redrive(a)).toBe('redriven');
    expect(await admin.setRetries(b, 2)).toBe('redriven');
    expect(await admin.setDueDate(c, { delay: 'PT1H' })).toBe('redriven');
    expect(only(await groups())).toMatchObject({ open: 2, redriven: 3, state: 'open' });
    expect(await admin.delete(d)).toBe('deleted');
    expect(await admin.delete(e)).toBe('deleted');
    const closed = only(await groups());
    expect(closed).toMatchObject({ open: 0, seen: 5, redriven: 3, deleted: 2, state: 'closed' });
    expect((await admin.errorGroups()).groups).toEqual([]);
    expect(await admin.errorGroup(closed.fingerprint)).toEqual(closed);
  });

  it('opens again when its fault comes back', async () => {
    const { admin, ids, groups, rig, drain } = await five();
    await admin.redriveMany(ids);
    expect(only(await groups())).toMatchObject({ state: 'closed' });
    await drain();
    await rig.clock.advance(MINUTE);
    await rig.client.enqueue(mail, {});
    await drain();
    expect((await groups()).find(({ type }) => type === 'pay')).toMatchObject({ state: 'open', open: 5, seen: 10 });
  });

  it('is closed rightly although a sandbox died with counts that it had not told', async () => {
    const { admin, rig, drain, freshSandbox, groups } = failingPayments();
    await rig.client.enqueue(pay, {});
    await drain();
    await rig.clock.advance(SECOND);
    // Another sandbox dies right after the burials.
    await rig.client.enqueueMany(pay, [{}, {}, {}]);
    await drain();
    await rig.client.enqueueMany(pay, [{}, {}]);
    await drain();
    freshSandbox();
    const dead = (await rig.rows('deadLetters')).map((row) => String(row['id']));
    expect(dead).toHaveLength(6);
    expect(only(await groups()).seen).toBeLessThan(6);
    await rig.clock.advance(5 * MINUTE);
    for (const id of dead.slice(0, 5)) await admin.redrive(id);
    expect(only(await groups())).toMatchObject({ state: 'open', open: 1 });
    await admin.redrive(dead[5] ?? '');
    expect(only(await groups())).toMatchObject({ state: 'closed', open: 0 });
  });

  it('that was closed is not opened again by counts of a sandbox that slept', async () => {
    const { admin, rig, drain, groups } = failingPayments();
    await rig.client.enqueueMany(pay, [{}, {}]);
    await drain();
    await rig.clock.advance(SECOND);
    // Not written before the sandbox is used again.
    await rig.client.enqueueMany(pay, [{}, {}, {}]);
    await drain();
    expect(only(await groups())).toMatchObject({ seen: 2 });
    await rig.clock.advance(5 * MINUTE);
    for (const row of await rig.rows('deadLetters')) await admin.delete(String(row['id']));
    expect(only(await groups())).toMatchObject({ state: 'closed', deleted: 5 });
    await rig.client.enqueue(mail, {});
    await drain();
    expect((await groups()).find(({ type }) => type === 'pay')).toMatchObject({ state: 'closed', open: 0 });
  });

  it.each([
    ['late', false],
    ['late, after a count of the index', true],
  ])('that was resolved is open again by a death after that which a sandbox told %s', async (_how, isCounted) => {
    const { admin, rig, drain, groups } = failingPayments();
    const dies = async (): Promise<void> => {
      await rig.client.enqueue(pay, {});
      await drain();
      await rig.clock.advance(SECOND);
    };
    await dies();
    await dies();
    const { fingerprint } = only(await groups());
    await admin.resolveErrorGroup(fingerprint);
    await rig.clock.advance(SECOND);
    // Within ten seconds of a write: the sandbox keeps it to itself.
    await dies();
    await rig.clock.advance(5 * MINUTE);
    if (isCounted) await settleGroup(rig.deps, (await rig.tables.get('control', errorGroupKey(fingerprint))) ?? {});
    expect(only(await groups())).toMatchObject({ state: 'resolved' });
    await rig.client.enqueue(mail, {});
    await drain();
    expect((await groups()).find(({ type }) => type === 'pay')).toMatchObject({ state: 'open', cameBack: true, open: 3 });
  });

  it('shows how many lie there now by the index, when one group is asked for', async () => {
    const { admin, rig, groups, ids } = await five();
    const { fingerprint } = only(await groups());
    await rig.tables.write({ op: 'delete', table: 'deadLetters', key: idKey(ids[0] ?? '') });
    expect(await admin.errorGroup(fingerprint)).toMatchObject({ open: 4, seen: 5 });
    expect(await admin.errorGroup('nobody-died-of-this')).toBeUndefined();
  });

  it('is no business of a redrive whose count the store refuses', async () => {
    const { admin, ids, faults, rig } = await five();
    faults.next(isGroupWrite, 'unavailable');
    expect(await admin.redrive(ids[0] ?? '')).toBe('redriven');
    expect(faults.pending()).toBe(0);
    expect(rig.journal.count('store-failed')).toBe(1);
  });
});
