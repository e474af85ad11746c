import { describe, expect, it, vi } from 'vitest';
import { createScheduleSync, syncSchedules } from '../../../../functions/acquirer/sync-schedules.ts';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { decodeSchedule, scheduleKey, scheduleRow } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const HOUR = 3_600_000;
const FIRST = { acquirer: 0, of: 2 };
const daily = schedule({ cron: '0 2 * * *' }, 'daily');
const weekly = schedule({ cron: '0 3 * * 1' }, 'weekly');

const rowOf = (rig: ScheduledRig, name: string) => rig.tables.get('control', scheduleKey(name));
const refuse = async (): Promise<never> => {
  throw new StoreUnavailableError('test', new Error('throttled'));
};

describe('bringing the schedules of the code to Control', () => {
  it('reads no schedule when nothing has changed since the last time', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily]);
    rig.tables.query = refuse;
    expect(await syncSchedules(rig.deps, [daily])).toEqual({ put: [], deleted: [] });
  });

  it('puts only what is new or another', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily, weekly]);
    expect(await syncSchedules(rig.deps, [daily, { ...weekly, payload: '{}' }])).toEqual({ put: ['weekly'], deleted: [] });
  });

  it('takes over a schedule that an operator put with the same words', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily);
    expect(await syncSchedules(rig.deps, [daily])).toMatchObject({ put: ['daily'] });
    expect(await rowOf(rig, 'daily')).toMatchObject({ origin: 'code' });
  });

  it('is done again when it failed half-way', async () => {
    const rig = scheduled();
    const transact = rig.tables.transact.bind(rig.tables);
    let count = 0;
    rig.tables.transact = async (...args) => (++count > 1 ? refuse() : transact(...args));
    await expect(syncSchedules(rig.deps, [daily, weekly])).rejects.toThrow(StoreUnavailableError);
    rig.tables.transact = transact;
    expect(await syncSchedules(rig.deps, [daily, weekly])).toEqual({ put: ['weekly'], deleted: [] });
  });

  it('is done again when a removal failed', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily, weekly]);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = refuse;
    await expect(syncSchedules(rig.deps, [daily])).rejects.toThrow(StoreUnavailableError);
    rig.tables.transact = transact;
    expect(await syncSchedules(rig.deps, [daily])).toEqual({ put: [], deleted: ['weekly'] });
  });

  it('puts those that stand before one whose row cannot be read', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily]);
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('daily'), set: { definition: '{' } });
    await expect(syncSchedules(rig.deps, [weekly, daily])).rejects.toThrow(/definition/);
    expect(await rowOf(rig, 'weekly')).toBeDefined();
  });

  it('fails, and does not count as done, while the row of a declared schedule cannot be read', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily]);
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('daily'), set: { definition: '{' } });
    for (let tick = 0; tick < 2; tick++) await expect(syncSchedules(rig.deps, [daily, weekly])).rejects.toThrow(/definition/);
  });

  it('removes what code does not declare any more, however many schedules there are', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [daily, schedule({ cron: '0 2 * * *' }, 'zulu')]);
    const model = decodeSchedule((await rowOf(rig, 'daily')) ?? {});
    const rows = Array.from({ length: 1_100 }, (_, n) => {
      const definition = { ...model.definition, name: `mine-${n}` };
      return scheduleRow({ ...model, definition, origin: 'operator' });
    });
    await rig.tables.putAll('control', rows);
    expect(await syncSchedules(rig.deps, [daily])).toEqual({ put: [], deleted: ['zulu'] });
  });
});

describe('a sandbox of the acquirer', () => {
  it('brings them, and looks again only after an hour, with one read', async () => {
    const rig = scheduled();
    let asked = 0;
    const synchronise = createScheduleSync(() => (asked++, [daily]));
    await synchronise(rig.deps, FIRST);
    expect(await rowOf(rig, 'daily')).toBeDefined();
    rig.tables.query = refuse;
    const read = vi.spyOn(rig.tables, 'get');
    await rig.clock.advance(HOUR - 1);
    await synchronise(rig.deps, FIRST);
    expect(read).not.toHaveBeenCalled();
    await rig.clock.advance(1);
    await synchronise(rig.deps, FIRST);
    expect(read).toHaveBeenCalledTimes(1);
    expect(asked).toBe(1);
  });

  it('brings them again within an hour after a roll-back, though another release has brought its own', async () => {
    const rig = scheduled();
    const synchronise = createScheduleSync(() => [daily]);
    await synchronise(rig.deps, FIRST);
    await createScheduleSync(() => [weekly])(rig.deps, FIRST);
    await rig.clock.advance(HOUR);
    await synchronise(rig.deps, FIRST);
    expect(await rowOf(rig, 'daily')).toBeDefined();
    expect(await rowOf(rig, 'weekly')).toBeUndefined();
  });

  it('leaves them to the first acquirer of several', async () => {
    const rig = scheduled();
    await createScheduleSync(() => [daily])(rig.deps, { acquirer: 1, of: 2 });
    expect(await rowOf(rig, 'daily')).toBeUndefined();
  });

  it('journals that it could not, and tries again at the next tick', async () => {
    const rig = scheduled();
    const synchronise = createScheduleSync(() => [daily]);
    const transact = rig.tables.transact.bind(rig.tables);
    rig.tables.transact = refuse;
    await synchronise(rig.deps, FIRST);
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'store-failed', reason: 'declared-schedules' }));
    rig.tables.transact = transact;
    await synchronise(rig.deps, FIRST);
    expect(await rowOf(rig, 'daily')).toBeDefined();
  });
});
