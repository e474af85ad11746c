import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { leaveErrorGroup, settleLeftGroups } from '../../../../shared/features/error-groups/admin/leave-error-group.ts';
import type { LeftGroups } from '../../../../shared/features/error-groups/admin/left-groups.ts';
import { iso } from '../../../../shared/job/instant.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { errorGroupKey, firstGroupRow } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { deadLetters } from '../../../support/dead-letters.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';

const MINUTE = 60_000;
const FINGERPRINT = 'f';

/** A group that was told of so many deaths, the last of them ten minutes ago, and dead letters that its index shows. */
async function stage(seen: number, ids: readonly string[] = [], more: Row = {}) {
  const rig = faultyRig();
  const at = rig.clock.now() - 10 * MINUTE;
  const death = { fingerprint: FINGERPRINT, type: 'pay', errorName: 'Error', message: 'no', id: 'x', at };
  await rig.tables.putAll('control', [{ ...firstGroupRow(death, seen), ...more }]);
  await rig.tables.putAll(
    'deadLetters',
    ids.map((id) => ({ id, fingerprintLeaf: `${FINGERPRINT}#0`, failedAt: iso(at) })),
  );
  const admin = createAdminOver(rig.deps);
  return { rig, admin, deps: { ...rig.deps, leftGroups: new Map() as LeftGroups } };
}

const isGroup = (row: Row): boolean => row['pk'] === errorGroupKey(FINGERPRINT)['pk'];

describe('an error group that an action takes dead letters from', () => {
  it('is told at the end, and counted where little seems to be left: a death that was told twice does not keep it open', async () => {
    const { admin, deps } = await stage(3);
    for (const id of ['x', 'y']) await leaveErrorGroup(deps, { id, fingerprint: FINGERPRINT }, 'deleted');
    expect((await admin.errorGroups()).groups).toMatchObject([{ open: 3, deleted: 0 }]);
    await settleLeftGroups(deps);
    expect((await admin.errorGroups({ state: 'all' })).groups).toMatchObject([{ state: 'closed', open: 0, deleted: 2 }]);
  });

  it('does not count what the index still shows of those that just left', async () => {
    const { admin, deps } = await stage(1, ['x']);
    await leaveErrorGroup(deps, { id: 'x', fingerprint: FINGERPRINT }, 'redriven');
    await settleLeftGroups(deps);
    expect((await admin.errorGroups({ state: 'all' })).groups).toMatchObject([{ state: 'closed', open: 0, redriven: 1 }]);
  });

  it('remembers the last five thousand of them, not every one', async () => {
    const { deps } = await stage(1);
    for (let n = 0; n < 5_010; n++) await leaveErrorGroup(deps, { id: String(n), fingerprint: FINGERPRINT }, 'deleted');
    const gone = deps.leftGroups.get(FINGERPRINT)?.gone;
    expect([gone?.size, gone?.has('9'), gone?.has('10')]).toEqual([5_000, false, true]);
  });

  it('is counted at the end of a bulk action', async () => {
    const { rig, admin } = await stage(2);
    const row = { id: rig.client.newId(), type: 'pay', typeLeaf: 'pay#0', fingerprint: FINGERPRINT, failedAt: iso(0), rev: 1 };
    await rig.tables.putAll('deadLetters', [row]);
    expect(await admin.bulk({ verb: 'delete' }, { type: 'pay' })).toMatchObject({ done: 1 });
    expect((await admin.errorGroups()).groups).toEqual([]);
  });

  it('is told of each step of a bulk action', async () => {
    const { rig, admin } = await deadLetters(2);
    const group = async (): Promise<Row | undefined> => (await rig.rows('control')).find((row) => isErrorGroupOf(row, 'work'));
    const going = admin.bulk({ verb: 'redrive' }, { type: 'work' }, { canary: true });
    await rig.settle();
    expect(await group()).toMatchObject({ redriven: 1 });
    await rig.drain();
    await rig.until(going, 500);
    expect(await group()).toMatchObject({ redriven: 2 });
  });
});

const isErrorGroupOf = (row: Row, type: string): boolean => isGroup(row) && row['type'] === type;

describe('an error group that is asked for', () => {
  it('is counted in the index also where that count cannot be written down', async () => {
    const { rig, admin } = await stage(1, ['x', 'y']);
    rig.faults.next((writes) => writes.some((one) => one.op === 'update' && isGroup(one.key)), 'unavailable');
    expect(await admin.errorGroup(FINGERPRINT)).toMatchObject({ state: 'open', open: 2 });
    expect(rig.faults.pending()).toBe(0);
  });

  it('was seen as often as jobs of it lie there and left it, however far its sums lag', async () => {
    const { admin } = await stage(1, ['x', 'y', 'z', 'u'], { redriven: 20, deleted: 300 });
    expect(await admin.errorGroup(FINGERPRINT)).toMatchObject({ open: 4, redriven: 20, deleted: 300, seen: 324 });
  });

  it.each([
    ['what it says itself, if that is more', 50_000, 50_000],
    ['what was counted, if that is more', 7, 11_000],
  ])('has, of more than ten thousand, %s', async (_what, seen, open) => {
    const { rig } = await stage(seen);
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ id: String(n) }));
    const query: typeof rig.tables.query = async () => ({ rows, readUnits: 1 });
    const admin = createAdminOver({ ...rig.deps, tables: { ...rig.tables, query } });
    const found = await admin.errorGroup(FINGERPRINT);
    expect(found?.open).toBeGreaterThanOrEqual(open);
    expect(found?.open).toBeLessThanOrEqual(Math.max(open, 18_000));
  });
});
