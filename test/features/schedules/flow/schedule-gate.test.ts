import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../../shared/job/errors.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

describe('an occurrence that waits for the one before', () => {
  it.each([
    ['is due with it when that waits for a retry or a snooze', 15 * MINUTE, 15 * MINUTE],
    ['looks again half a minute later when that is due by then', 10 * MINUTE + 20 * SECOND, 10 * MINUTE + 30 * SECOND],
    ['stays within reach of its queue when that is due long after', 40 * MINUTE, 25 * MINUTE],
  ])('%s', async (_, delayMs, dueAfterMs) => {
    const rig = scheduled(({ job }) => (job.nominalAt?.getMinutes() === 10 ? { verdict: 'snooze', delayMs } : undefined));
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', overlap: 'queue' }));
    await rig.pass(10 * MINUTE);
    const begun = rig.clock.now();
    await rig.pass(10 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:10:00']);
    const waiting = (await rig.rows('jobs')).find((row) => row['nominalAt'] === '2026-03-01T00:20:00.000Z');
    expect(Date.parse(String(waiting?.['dueAt'])) - begun).toBe(dueAfterMs);
  });
});

/** Delivers an occurrence that an operator starts now; how often its schedule is read for that. */
async function readsOfRunNow(rig: ScheduledRig): Promise<number> {
  await rig.admin.schedules.runNow('nightly');
  const get = rig.tables.get.bind(rig.tables);
  let reads = 0;
  rig.tables.get = async (table, key) => {
    if (JSON.stringify(key) === JSON.stringify(scheduleKey('nightly'))) reads += 1;
    return get(table, key);
  };
  await rig.drain();
  rig.tables.get = get;
  return reads;
}

describe('a schedule', () => {
  it('is read once for all of its occurrences that come within a few seconds', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    expect(await readsOfRunNow(rig)).toBe(1);
    await rig.clock.advance(4 * SECOND);
    expect(await readsOfRunNow(rig)).toBe(0);
    await rig.clock.advance(SECOND);
    expect(await readsOfRunNow(rig)).toBe(1);
    expect(rig.ran).toHaveLength(3);
  });

  it('whose row cannot be read keeps no occurrence from running; one that does not answer does', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
    await rig.tick();
    const row = await rig.tables.get('control', scheduleKey('nightly'));
    await rig.clock.advance(2 * MINUTE);
    const get = rig.tables.get.bind(rig.tables);
    rig.tables.get = async (table, key) => {
      if (table === 'control') throw new StoreUnavailableError('get', new Error('down'));
      return get(table, key);
    };
    await rig.drain();
    expect(rig.ran).toEqual([]);
    rig.tables.get = get;
    await rig.tables.write({ op: 'put', table: 'control', row: { ...row, ...scheduleKey('nightly'), sequence: 'many', definition: 1 } });
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(rig.ran).toHaveLength(1);
  });

  it('whose recurrence only a newer version can read still stops its occurrences during a pause, and settles a cancelled one', async () => {
    const rig = scheduled();
    const key = scheduleKey('nightly');
    await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
    await rig.tick();
    const row = (await rig.tables.get('control', key)) ?? {};
    const definition = JSON.parse(String(row['definition'])) as { readonly recurrence: object };
    const newer = JSON.stringify({ ...definition, recurrence: { ...definition.recurrence, tides: 'spring' } });
    await rig.tables.write({ op: 'update', table: 'control', key, set: { definition: newer } });
    expect(await rig.client.cancel(String(row['nextId']))).toBe('cancelled');
    expect((await rig.tables.get('control', key))?.['settled']).toBe(row['nextNominal']);
    await rig.tables.write({ op: 'update', table: 'control', key, set: { pausedAt: new Date(rig.clock.now()).toISOString() } });
    await rig.clock.advance(2 * MINUTE);
    await rig.drain();
    expect(rig.ran).toEqual([]);
    expect((await rig.tables.get('control', key))?.['skipped']).toBe(1);
  });

  it('that was paused leaves no message of the occurrence that it skipped', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
    await rig.tick();
    const pausedAt = new Date(rig.clock.now()).toISOString();
    await rig.tables.write({ op: 'update', table: 'control', key: scheduleKey('nightly'), set: { pausedAt } });
    await rig.clock.advance(2 * MINUTE);
    const messages = rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));
    expect(messages).toHaveLength(1);
    expect(await rig.execute(messages)).toEqual([]);
    expect(rig.journal.count('skipped')).toBe(1);
  });
});
