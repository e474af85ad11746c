import { describe, expect, it } from 'vitest';
import { repairSchedules } from '../../../../functions/sweeper/duties/repair-schedules.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import type { Query } from '../../../../shared/ports/tables.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { lateSchedules, unmended } from '../../../support/late-schedules.ts';
import type { Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const LEFT_OFF = { pk: 'schedules', sk: 'left-off' };

const fix = async (rig: Rig, runMs = MINUTE): Promise<number> =>
  repairSchedules({ ...rig.deps, backlog: rig.hints }, rig.clock.now() + runMs);

/** Lets each page of schedules hold only so many, and runs `after` when one was read. */
function smallPages(rig: Rig, limit: number, after: (asked: Query) => Promise<unknown> = async () => {}): void {
  const query = rig.tables.query.bind(rig.tables);
  rig.tables.query = async (asked) => {
    if (!asked.partition.startsWith('schedule#')) return query(asked);
    const page = await query({ ...asked, limit });
    await after(asked);
    return page;
  };
}

/** Counts looks at schedules. */
function looksAt(rig: Rig, onLook: (name: string) => Promise<unknown> = async () => {}): { looks: number } {
  const seen = { looks: 0 };
  const get = rig.tables.get.bind(rig.tables);
  rig.tables.get = async (table, key) => {
    if (String(key['pk']).startsWith('schedule#')) {
      seen.looks++;
      await onLook(String(key['sk']));
    }
    return get(table, key);
  };
  return seen;
}

describe('a run that looks for schedules whose timer is missing', () => {
  it('leaves alone those that the acquirer may fire with its next ticks', async () => {
    const { rig } = await lateSchedules(3, 3);
    // Two minutes before they are due, with a horizon of that and a tick and a half.
    const { acquirerIntervalMs } = rig.deployment.settings;
    Object.assign(rig.deployment.settings, { horizonMs: 2 * MINUTE + 1.5 * acquirerIntervalMs });
    const seen = looksAt(rig);
    expect(await fix(rig)).toBe(0);
    expect(seen.looks).toBe(0);
  });

  it.each([
    { lateMs: MINUTE - 1, repaired: 0 },
    { lateMs: MINUTE, repaired: 3 },
  ])('looks at those that two ticks passed by, a minute later ($lateMs ms)', async ({ lateMs, repaired }) => {
    const { rig } = await lateSchedules(3, 3);
    Object.assign(rig.deployment.settings, { horizonMs: 2 * MINUTE + 2 * rig.deployment.settings.acquirerIntervalMs + lateMs });
    expect(await fix(rig)).toBe(repaired);
  });

  it('has each of them repaired by one of two runs that come at once', async () => {
    const { rig } = await lateSchedules(1, 1);
    const transact = rig.tables.transact.bind(rig.tables);
    const others: number[] = [];
    rig.tables.transact = async (...args) => {
      rig.tables.transact = transact;
      others.push(await fix(rig));
      return transact(...args);
    };
    expect(await fix(rig)).toBe(0);
    expect(others).toEqual([1]);
  });

  it('begins where the last one left off and comes around to there again', async () => {
    const { rig, lost } = await lateSchedules(40, 40);
    const name = lost[20] ?? '';
    await rig.tables.write({ op: 'put', table: 'control', row: { ...LEFT_OFF, partition: String(scheduleKey(name)['pk']), name } });
    expect(await fix(rig)).toBe(40);
    expect(await unmended(rig, lost)).toEqual([]);
  });

  it('reads a partition to its end', async () => {
    const { rig, lost } = await lateSchedules(40, 40);
    smallPages(rig, 1);
    expect(await fix(rig)).toBe(40);
    expect(await unmended(rig, lost)).toEqual([]);
  });

  it('notes how far it came when its time ends between two pages, and reads no more', async () => {
    const { rig } = await lateSchedules(40, 1);
    Object.assign(rig.deployment.settings, { horizonMs: 0 });
    let pages = 0;
    smallPages(rig, 1, async () => (pages++, rig.clock.advance(MINUTE)));
    await fix(rig);
    // Only the first pages of four partitions are read ahead.
    expect(pages).toBe(4);
    expect(await rig.tables.get('control', LEFT_OFF)).toBeDefined();
  });

  it('looks at no further schedule when its time is over', async () => {
    const { rig } = await lateSchedules(40, 40);
    const seen = looksAt(rig, async () => rig.clock.advance(MINUTE));
    await fix(rig);
    expect(seen.looks).toBeLessThanOrEqual(4);
  });

  it('fixes the others when one cannot be looked at, and journals that', async () => {
    const { rig, lost } = await lateSchedules(20, 20);
    const broken = lost[7] ?? '';
    looksAt(rig, async (name) => {
      if (name === broken) throw new StoreUnavailableError('test', new Error('throttled'));
    });
    expect(await fix(rig)).toBe(19);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: `schedule#${broken}` }));
  });
});
