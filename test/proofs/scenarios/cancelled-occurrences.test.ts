import { describe, expect, it } from 'vitest';
import { syncSchedules } from '../../../functions/acquirer/sync-schedules.ts';
import { schedule, scheduled, type ScheduledRig } from '../../support/scheduled-rig.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HOURLY = '0 * * * *';

/** Cancels the next occurrence, which is that of 01:00. */
async function cancelNext(rig: ScheduledRig): Promise<void> {
  const { next } = (await rig.admin.schedules.get('nightly')) ?? {};
  expect(await rig.client.cancel(next?.id ?? '')).toBe('cancelled');
}

async function hourly(options: Parameters<typeof scheduled>[1] = {}): Promise<ScheduledRig> {
  const rig = scheduled(undefined, options);
  await rig.admin.schedules.put(schedule({ cron: HOURLY }));
  return rig;
}

/** History forgets by TTL; memory tables do not. */
async function forget(rig: ScheduledRig): Promise<void> {
  for (const { day, id } of await rig.rows('history'))
    await rig.tables.write({ op: 'delete', table: 'history', key: { day: String(day), id: String(id) } });
}

describe('a next occurrence that was cancelled does not run, and the one after it does', () => {
  const ways: Readonly<Record<string, (rig: ScheduledRig) => Promise<unknown>>> = {
    'when History has forgotten it by its time': async () => {},
    'when the same definition is put again': async (rig) => rig.admin.schedules.put(schedule({ cron: HOURLY })),
    'when another payload is put': async (rig) => rig.admin.schedules.put({ ...schedule({ cron: HOURLY }), payload: '{}' }),
    'when a recurrence is put that has its time as well': async (rig) => rig.admin.schedules.put(schedule({ cron: '0 */1 * * *' })),
    'when a jitter is put, with which it would have another id': async (rig) => {
      await rig.admin.schedules.put(schedule({ cron: HOURLY, jitter: 'PT1S' }));
      await rig.admin.schedules.put(schedule({ cron: HOURLY }));
    },
    'when its schedule is paused and goes on': async (rig) => {
      await rig.admin.schedules.pause('nightly');
      await rig.admin.schedules.resume('nightly');
    },
    'when its schedule changes while it is paused': async (rig) => {
      await rig.admin.schedules.pause('nightly');
      await rig.admin.schedules.put(schedule({ cron: '0 */1 * * *' }));
      await rig.admin.schedules.resume('nightly');
    },
    'when its schedule is deleted and put again': async (rig) => {
      await rig.admin.schedules.delete('nightly');
      await rig.admin.schedules.put(schedule({ cron: HOURLY }));
    },
  };
  it.each(Object.entries(ways))('%s', async (_way, then) => {
    const rig = await hourly();
    await cancelNext(rig);
    await forget(rig);
    await then(rig);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('when History is off', async () => {
    const rig = await hourly({ history: 'off' });
    await cancelNext(rig);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('when a deployment changes its schedule', async () => {
    const rig = scheduled();
    await syncSchedules(rig.deps, [schedule({ cron: HOURLY })]);
    await cancelNext(rig);
    await forget(rig);
    await syncSchedules(rig.deps, [schedule({ cron: HOURLY, priority: 3 })]);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('when it comes once a month', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 1 1 * *' }));
    await cancelNext(rig);
    await forget(rig);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ next: { at: new Date('2026-04-01T01:00:00Z') } });
    expect((await rig.admin.schedules.preview('nightly', { count: 1 }))?.[0]?.at).toEqual(new Date('2026-04-01T01:00:00Z'));
    await rig.passSwept(62 * MINUTE);
    await rig.clock.advance(31 * DAY - 10 * MINUTE);
    await rig.passSwept(12 * MINUTE);
    expect(rig.ran).toEqual(['2026-04-01T01:00:00']);
  });
});

describe('a cancel of many', () => {
  it('takes one occurrence of a schedule, however often it is repeated', async () => {
    const rig = await hourly();
    expect(await rig.admin.cancelWhere({ type: 'report' })).toMatchObject({ found: 1, cancelled: 1 });
    expect(await rig.admin.cancelWhere({ type: 'report' })).toMatchObject({ found: 0 });
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ next: { at: new Date('2026-03-01T02:00:00Z') } });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('settles each occurrence that it takes as a cancel by id does', async () => {
    const rig = await hourly();
    expect(await rig.admin.bulk({ verb: 'cancel' }, { type: 'report' })).toMatchObject({ done: 1 });
    await forget(rig);
    await rig.admin.schedules.put(schedule({ cron: '0 */1 * * *' }));
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });
});
