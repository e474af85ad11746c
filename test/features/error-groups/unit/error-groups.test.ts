import { describe, expect, it } from 'vitest';
import type { Death } from '../../../../shared/features/error-groups/model/error-group.ts';
import { iso } from '../../../../shared/job/instant.ts';
import { utf8Bytes } from '../../../../shared/job/size-limits.ts';
import { deathAttributes, errorGroupKey, firstGroupRow } from '../../../../shared/features/error-groups/store/error-group-rows.ts';
import { ErrorGroupSums } from '../../../../shared/features/error-groups/store/error-group-sums.ts';
import { flushErrorGroups, inItsErrorGroup, leaveGroup } from '../../../../shared/features/error-groups/store/error-groups.ts';
import { rowBytes } from '../../../../shared/store/row-bytes.ts';
import { faultyRig, type FaultyRig } from '../../../support/faulty-rig.ts';
import { aimAt } from '../../../support/faulty-tables.ts';

const MINUTE = 60_000;
const key = errorGroupKey('f');
const deathAt = (at: number): Death => ({ fingerprint: 'f', type: 't', errorName: 'E', message: 'm', id: 'id', at });
const row = async (rig: FaultyRig) => rig.tables.get('control', key);
/** Lets what was woken run; one request hangs. */
const turn = async () => new Promise((resolve) => setImmediate(resolve));
const refusals = (rig: FaultyRig) => rig.journal.entries.filter(({ event }) => event === 'store-failed').map(({ reason }) => reason);
const bury = async (rig: FaultyRig, death: Death, died = true, sums?: ErrorGroupSums) =>
  inItsErrorGroup(
    { ...rig.deps, ...(sums === undefined ? {} : { errorGroups: sums }) },
    { death, attempt: 'a' },
    async () => 'buried',
    () => died,
  );

describe('a burial in its error group', () => {
  it('has a row before, which counts it', async () => {
    const rig = faultyRig();
    const death = deathAt(rig.clock.now());
    const seen: unknown[] = [];
    await inItsErrorGroup(
      rig.deps,
      { death, attempt: 'a' },
      async () => seen.push((await row(rig))?.['seen']),
      () => true,
    );
    expect(seen).toEqual([1]);
    expect(await row(rig)).toEqual(firstGroupRow(death, 1));
  });

  it('that buried nothing is taken off again, and one that failed is counted once', async () => {
    const rig = faultyRig();
    const sums = new ErrorGroupSums();
    const death = deathAt(rig.clock.now());
    await bury(rig, death, false);
    expect((await row(rig))?.['seen']).toBe(0);
    const fails = async () =>
      inItsErrorGroup(
        { ...rig.deps, errorGroups: sums },
        { death, attempt: 'b' },
        async () => Promise.reject(new Error('no')),
        () => true,
      );
    await expect(fails()).rejects.toThrow('no');
    await expect(fails()).rejects.toThrow('no');
    await flushErrorGroups({ ...rig.deps, errorGroups: sums }, true);
    expect((await row(rig))?.['seen']).toBe(1);
  });

  it('goes on when the store refuses the row, which is journalled', async () => {
    const rig = faultyRig();
    rig.faults.next(aimAt('update', 'control'), 'unavailable', 2);
    expect(await bury(rig, deathAt(rig.clock.now()))).toBe('buried');
    expect(refusals(rig)).toEqual(['error-group#f', 'error-group#f']);
    expect(await row(rig)).toBeUndefined();
  });

  it('waits a second for the row at most, and says so', async () => {
    const rig = faultyRig();
    let answer = (): void => {};
    rig.faults.before(aimAt('update', 'control'), async () => new Promise<void>((resolve) => (answer = resolve)));
    let buried = false;
    const sums = new ErrorGroupSums();
    const burial = bury(rig, deathAt(rig.clock.now()), true, sums).then(() => (buried = true));
    await rig.clock.advance(999);
    await turn();
    expect(buried).toBe(false);
    await rig.clock.advance(1);
    await turn();
    expect([buried, refusals(rig)]).toEqual([true, ['error-group#f']]);
    answer();
    await burial;
  });

  it('adds to a group that another process began meanwhile', async () => {
    const begun = faultyRig();
    const death = deathAt(begun.clock.now());
    const other = { op: 'put', table: 'control', row: firstGroupRow(death, 5) } as const;
    begun.faults.before(aimAt('put', 'control'), async () => begun.tables.write(other));
    await bury(begun, death);
    expect((await row(begun))?.['seen']).toBe(6);
  });
});

describe('deaths that are told late', () => {
  it('begin a whole row where there is none, which counts none below zero', async () => {
    const rig = faultyRig();
    const death = deathAt(rig.clock.now() - MINUTE);
    await bury(rig, death);
    expect(await row(rig)).toEqual(firstGroupRow(death, 1));
    const sums = new ErrorGroupSums();
    const fresh = faultyRig();
    const deps = { ...fresh.deps, errorGroups: sums };
    await bury(fresh, deathAt(fresh.clock.now()), false, sums);
    await fresh.tables.write({ op: 'delete', table: 'control', key });
    await flushErrorGroups(deps, true);
    expect((await row(fresh))?.['seen']).toBe(0);
  });

  it('are not added where the index was counted since, and say when the group was last seen', async () => {
    const rig = faultyRig();
    const counted = { ...firstGroupRow(deathAt(0), 3), settledAt: iso(rig.clock.now()) };
    await rig.tables.write({ op: 'put', table: 'control', row: counted });
    const late = deathAt(rig.clock.now() - MINUTE);
    await bury(rig, late);
    const newest = { ...counted, ...deathAttributes(late) };
    expect(await row(rig)).toEqual(newest);
    await bury(rig, deathAt(late.at - 1));
    expect(await row(rig)).toEqual(newest);
  });
});

describe('dead letters that leave their group', () => {
  const left = { redriven: 2, deleted: 0 };

  it('are counted in it', async () => {
    const rig = faultyRig();
    await rig.tables.write({ op: 'put', table: 'control', row: firstGroupRow(deathAt(0), 3) });
    expect(await leaveGroup(rig.deps, 'f', left)).toMatchObject({ refused: false, row: { seen: 3, redriven: 2 } });
    expect(await row(rig)).not.toHaveProperty('deleted');
  });

  it('make no row of one that has none', async () => {
    const rig = faultyRig();
    expect(await leaveGroup(rig.deps, 'f', left)).toEqual({ refused: false });
    expect(await row(rig)).toBeUndefined();
  });

  it('have left also when the store does not take it, which is journalled', async () => {
    const rig = faultyRig();
    rig.faults.next(() => true, 'unavailable');
    expect(await leaveGroup(rig.deps, 'f', left)).toEqual({ refused: true });
    expect(refusals(rig)).toEqual(['error-group#f']);
  });
});

describe('the row of an error group', () => {
  const long = (type: string, errorName: string): Death => ({
    ...deathAt(0),
    type,
    errorName,
    fingerprint: 'f'.repeat(16),
    id: 'i'.repeat(36),
    message: 'm'.repeat(2_000),
    frame: 'f'.repeat(2_000),
  });

  it.each([
    ['t', 'E'],
    ['t'.repeat(128), 'E'.repeat(128)],
    ['\u{1f600}'.repeat(90), 'E'.repeat(128)],
  ])('fits into one write unit, with message and frame cut (%#)', (type, errorName) => {
    const death = long(type, errorName);
    const { frame, message } = deathAttributes(death);
    const whole = { ...firstGroupRow(death, 1), leftAt: iso(0), settledAt: iso(0), redriven: 0, deleted: 0, settled: 0 };
    expect(rowBytes(whole)).toBeLessThanOrEqual(1_024);
    expect(rowBytes(whole)).toBeGreaterThan(1_015);
    expect(utf8Bytes(String(frame))).toBeLessThanOrEqual(200);
    expect(utf8Bytes(String(message))).toBeGreaterThanOrEqual(utf8Bytes(String(frame)));
  });

  it('has neither where a type leaves no room for them', () => {
    const attributes = deathAttributes(long('\u{1f600}'.repeat(128), 'E'.repeat(128)));
    expect(attributes).toMatchObject({ message: '' });
    expect(attributes).not.toHaveProperty('frame');
  });

  it('keeps short texts as they are', () => {
    expect(deathAttributes({ ...deathAt(0), frame: 'at f' })).toMatchObject({ message: 'm', frame: 'at f' });
  });
});
