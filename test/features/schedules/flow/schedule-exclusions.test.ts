import { describe, expect, it } from 'vitest';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The first of March 2026, on which the rig begins, is a Sunday. */
const daily = (exclude: readonly string[], more: object = {}) => schedule({ cron: '0 9 * * *', exclude, ...more });
const days = ({ ran }: ScheduledRig): readonly string[] => ran.map((text) => text.slice(8, 10));
const get = async (rig: ScheduledRig) => rig.admin.schedules.get('nightly');

/** Passes days with few ticks: one an hour. */
const passDays = async (rig: ScheduledRig, count: number): Promise<void> => rig.pass(count * DAY, HOUR);

describe('a schedule with excluded days', () => {
  it('runs on the others, and counts none as missed', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily(['2026-03-02', 'WED', '03-05/03-06'], { missed: 'all' }));
    expect((await rig.admin.schedules.preview('nightly', { count: 3 }))?.map(({ wall }) => wall.slice(8, 10))).toEqual(['01', '03', '07']);
    await passDays(rig, 7);
    expect(days(rig)).toEqual(['01', '03', '07']);
    expect(await get(rig)).toMatchObject({ runs: 3, missed: 0, skipped: 0, next: { at: new Date('2026-03-08T09:00:00Z') } });
  });

  it.each(['coalesce', 'all'] as const)('makes up for none of them after an outage, with missed: %s', async (missed) => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily(['2026-03-02', '2026-03-04'], { missed }));
    await passDays(rig, 1);
    await rig.clock.advance(3 * DAY);
    await passDays(rig, 1);
    expect(days(rig).toSorted()).toEqual(['01', '03', '05']);
    expect(await get(rig)).toMatchObject({ runs: 3, missed: 0 });
  });

  it('has no next occurrence when all that could come are excluded, and goes on when they are not any more', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily(['2026-01-01/2090-01-01']));
    expect((await get(rig))?.next).toBeUndefined();
    await passDays(rig, 1);
    expect(rig.ran).toEqual([]);
    await rig.admin.schedules.put(daily([]));
    await passDays(rig, 2);
    expect(days(rig)).toEqual(['02', '03']);
  });
});

describe('other excluded days for a schedule that is there', () => {
  it('keep its sequence: the count of its runs, and from when its period counts', async () => {
    const rig = scheduled();
    const every = (exclude: readonly string[]) => schedule({ every: 'PT7H', maxRuns: 5, exclude });
    await rig.admin.schedules.put(every([]));
    await rig.pass(20 * HOUR, HOUR);
    expect(rig.ran).toEqual(['2026-03-01T07:00:10', '2026-03-01T14:00:10']);
    await rig.admin.schedules.put(every(['2026-03-02']));
    expect(await get(rig)).toMatchObject({ runs: 2, next: { at: new Date('2026-03-01T21:00:10Z') } });
    await passDays(rig, 3);
    expect(rig.ran.slice(2)).toEqual(['2026-03-01T21:00:10', '2026-03-03T01:00:10', '2026-03-03T08:00:10']);
    expect(await get(rig)).toMatchObject({ runs: 5 });
    await rig.admin.schedules.put(every(['2026-03-03']));
    expect((await get(rig))?.next).toBeUndefined();
  });

  it('take back what was fired ahead on such a day, and plan it again when the day is not excluded any more', async () => {
    const rig = scheduled();
    const often = (exclude: readonly string[]) => schedule({ cron: '*/2 * * * *', exclude });
    await rig.admin.schedules.put(often([]));
    await rig.pass(3 * MINUTE);
    expect((await rig.counts()).jobs).toBeGreaterThan(0);
    await rig.admin.schedules.put(often(['2026-03-01']));
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 1 });
    expect(await get(rig)).toMatchObject({ runs: 1, firedAhead: 0, next: { at: new Date('2026-03-02T00:00:00Z') } });
    await rig.pass(5 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:02:00']);
    await rig.admin.schedules.put(often(['2026-03-05']));
    await rig.pass(4 * MINUTE);
    // Those of the minutes in which the day was excluded do not come.
    expect(rig.ran).toEqual(['2026-03-01T00:02:00', '2026-03-01T00:10:00', '2026-03-01T00:12:00']);
    expect(await get(rig)).toMatchObject({ missed: 0 });
  });

  it('lose no occurrence that was fired ahead and waits for the end of its jitter', async () => {
    const rig = scheduled();
    const jittery = (exclude: readonly string[]) => schedule({ cron: '*/2 * * * *', jitter: 'PT15M', missed: 'all', exclude });
    await rig.admin.schedules.put(jittery([]));
    await rig.pass(10 * MINUTE);
    for (const day of ['05', '06', '07']) {
      await rig.admin.schedules.put(jittery([`2026-03-${day}`]));
      await rig.pass(5 * MINUTE);
    }
    await rig.pass(20 * MINUTE);
    const expected = Array.from({ length: 14 }, (_, index) => `2026-03-01T00:${String(2 * index + 2).padStart(2, '0')}:00`);
    expect(rig.ran.toSorted()).toEqual(expect.arrayContaining(expected));
    expect(new Set(rig.ran).size).toBe(rig.ran.length);
  });

  it('bring back nothing of a past day that is excluded no more', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily(['03-02/03-03'], { missed: 'all' }));
    await passDays(rig, 2);
    await rig.clock.advance(DAY);
    expect(days(rig)).toEqual(['01']);
    await rig.admin.schedules.put(daily(['2026-03-20'], { missed: 'all' }));
    await passDays(rig, 2);
    expect(days(rig)).toEqual(['01', '04', '05']);
  });

  it('still run an occurrence that is late', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *' }));
    await rig.clock.advance(10 * MINUTE);
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', exclude: ['2026-03-02'] }));
    await rig.pass(MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:10:00']);
  });

  it('hold for what is made up for after a pause', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily([], { missed: 'all' }));
    await rig.admin.schedules.pause('nightly', { reason: 'move', actor: 'ann' });
    await rig.clock.advance(3 * DAY);
    await rig.admin.schedules.put(daily(['2026-03-02'], { missed: 'all' }));
    expect(await get(rig)).toMatchObject({ paused: { reason: 'move', actor: 'ann' }, runs: 0 });
    await rig.admin.schedules.resume('nightly');
    await rig.pass(HOUR);
    expect(days(rig).toSorted()).toEqual(['01', '03']);
  });

  it('leave a cancelled occurrence cancelled', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(daily([]));
    expect(await rig.client.cancel((await get(rig))?.next?.id ?? '')).toBe('cancelled');
    await rig.admin.schedules.put(daily(['2026-03-02']));
    await passDays(rig, 3);
    expect(days(rig)).toEqual(['03']);
  });
});

describe('the row of a schedule', () => {
  it('without excluded days is what it was, and one with damaged ones is unreadable', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 9 * * *' }));
    const row = (await rig.tables.get('control', scheduleKey('nightly'))) ?? {};
    expect(JSON.parse(String(row['definition']))).toMatchObject({ recurrence: { cron: '0 9 * * *' } });
    expect(String(row['definition'])).not.toContain('exclude');
    const damaged = String(row['definition']).replace('"recurrence":{', '"recurrence":{"exclude":["easter"],');
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { definition: damaged } });
    expect((await rig.admin.schedules.list()).unreadable).toEqual(['nightly']);
  });
});
