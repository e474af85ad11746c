import { describe, expect, it } from 'vitest';
import { syncSchedules } from '../../../../functions/acquirer/sync-schedules.ts';
import { shardOf } from '../../../../shared/job/job-id.ts';
import { scheduleKey } from '../../../../shared/features/schedules/store/schedule-rows.ts';
import { quarantineInGroup } from '../../../../shared/store/burials.ts';
import { schedule, scheduled } from '../../../support/scheduled-rig.ts';
import { ON_DYNAMO } from '../../../support/rig-tables.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a recurring schedule', () => {
  it('runs each occurrence once, at its time, and never comes to its end by itself', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *' }));
    await rig.pass(35 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:10:00', '2026-03-01T00:20:00', '2026-03-01T00:30:00']);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: 3, missed: 0, skipped: 0, origin: 'operator' });
    expect(await rig.counts()).toMatchObject({ timers: 1, jobs: 0, history: 3, deadLetters: 0 });
  });

  it('shows what has come due, and apart from that what was fired ahead of its time', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '* * * * *' }));
    await rig.pass(5 * MINUTE + 30_000, 30_000);
    const shown = await rig.admin.schedules.get('nightly');
    expect(rig.ran).toHaveLength(5);
    expect(shown).toMatchObject({ runs: 5, lastAt: new Date('2026-03-01T00:05:00Z'), next: { at: new Date('2026-03-01T00:06:00Z') } });
    expect(shown?.firedAhead).toBeGreaterThan(0);
    expect((await rig.admin.schedules.list()).schedules).toEqual([shown]);
  });

  it('lists no time beyond its last run', async () => {
    const rig = scheduled();
    const three = schedule({ cron: '*/10 * * * *', maxRuns: 3 });
    expect(await rig.admin.schedules.preview(three)).toHaveLength(3);
    await rig.admin.schedules.put(three);
    await rig.pass(22 * MINUTE);
    expect((await rig.admin.schedules.preview('nightly'))?.map(({ at }) => at)).toEqual([new Date('2026-03-01T00:30:00Z')]);
    await rig.pass(4 * MINUTE);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: 2, firedAhead: 1 });
    expect(await rig.admin.schedules.preview('nightly')).toHaveLength(1);
    await rig.pass(16 * MINUTE);
    expect(await rig.admin.schedules.preview('nightly')).toEqual([]);
  });

  it('goes on after a run that fails for good', async () => {
    const rig = scheduled(() => {
      throw new Error('no report today');
    });
    await rig.admin.schedules.put({ ...schedule({ cron: '*/10 * * * *' }), retry: 'never' });
    await rig.pass(35 * MINUTE);
    expect(rig.ran).toHaveLength(3);
    expect(await rig.counts()).toMatchObject({ deadLetters: 3, timers: 1 });
  });

  it.skipIf(ON_DYNAMO)('keeps up with a schedule of every ten seconds from a tick a minute', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ every: 'PT10S' }));
    await rig.pass(3 * MINUTE, 10_000);
    expect(rig.ran).toHaveLength(18);
    expect(new Set(rig.ran).size).toBe(18);
  });

  it('ends with its last occurrence, or after the runs that it was given', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ every: 'R3/PT2M' }, 'counted'));
    await rig.admin.schedules.put(schedule({ cron: '* * * * *', maxRuns: 2 }, 'limited'));
    await rig.pass(20 * MINUTE);
    expect(rig.ran.toSorted()).toEqual([
      '2026-03-01T00:01:00',
      '2026-03-01T00:02:00',
      '2026-03-01T00:02:10',
      '2026-03-01T00:04:10',
      '2026-03-01T00:06:10',
    ]);
    expect((await rig.admin.schedules.get('counted'))?.next).toBeUndefined();
    expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 0 });
  });

  it.each([
    ['coalesce', ['2026-03-01T01:00:00', '2026-03-01T04:00:00'], { runs: 2, missed: 2 }],
    ['all', ['2026-03-01T01:00:00', '2026-03-01T02:00:00', '2026-03-01T03:00:00', '2026-03-01T04:00:00'], { runs: 4, missed: 0 }],
    ['skip', ['2026-03-01T04:00:00'], { runs: 1, missed: 3 }],
  ] as const)('after an outage with missed: %s runs what that says', async (missed, ran, counts) => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *', missed }));
    await rig.clock.advance(3 * HOUR + 30 * MINUTE);
    await rig.pass(45 * MINUTE);
    expect(rig.ran.toSorted()).toEqual(ran);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject(counts);
  });

  it('starts nothing while it is paused, not even what was fired ahead, and applies the missed policy when it goes on', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
    await rig.pass(3 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:02:00']);
    expect((await rig.counts()).jobs).toBeGreaterThan(0);
    expect(await rig.admin.schedules.pause('nightly', { reason: 'audit', actor: 'ann' })).toBe(true);
    expect(await rig.admin.schedules.pause('nightly')).toBe(false);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
    await rig.pass(10 * MINUTE);
    expect(rig.ran).toHaveLength(1);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: 1, skipped: 0, paused: { reason: 'audit', actor: 'ann' } });
    expect(await rig.admin.schedules.resume('nightly')).toBe(true);
    await rig.pass(4 * MINUTE);
    expect(rig.ran.toSorted()).toEqual(['2026-03-01T00:02:00', '2026-03-01T00:04:00', '2026-03-01T00:14:00', '2026-03-01T00:16:00']);
  });

  it('leaves an occurrence that was started ahead of its time and waits for a retry when it is paused or deleted', async () => {
    for (const away of ['pause', 'delete'] as const) {
      let fails = 1;
      const rig = scheduled(() => {
        if (fails-- > 0) throw new Error('not yet');
      });
      await rig.admin.schedules.put(schedule({ cron: '*/4 * * * *' }));
      await rig.tick();
      const [ahead] = await rig.rows('jobs');
      expect(await rig.admin.runNow(String(ahead?.['id']))).toBe('started');
      await rig.drain();
      expect(await rig.rows('jobs')).toMatchObject([{ id: ahead?.['id'], starts: 1 }]);
      await rig.admin.schedules[away]('nightly');
      expect(await rig.rows('jobs')).toMatchObject([{ id: ahead?.['id'], starts: 1 }]);
      if (away === 'pause') await rig.admin.schedules.resume('nightly');
      await rig.pass(5 * MINUTE);
      const [first, second, ...more] = rig.ran;
      expect([first, second]).toEqual(['2026-03-01T00:04:00', '2026-03-01T00:04:00']);
      expect(more).not.toContain(first);
    }
  });

  it('that is paused ends what comes to an executor all the same, and counts it', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/2 * * * *' }));
    await rig.tick();
    const pausedAt = rig.clock.now();
    const key = scheduleKey('nightly');
    await rig.tables.write({ op: 'update', table: 'control', key, set: { pausedAt: new Date(pausedAt).toISOString() } });
    await rig.pass(2 * MINUTE);
    expect(rig.ran).toEqual([]);
    expect((await rig.rows('history'))[0]).toMatchObject({ outcome: 'skipped', schedule: 'nightly' });
    expect((await rig.admin.schedules.get('nightly'))?.skipped).toBe(1);
  });

  it('that goes on before what was held back was due runs that once', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/4 * * * *', missed: 'all' }));
    await rig.pass(MINUTE);
    expect((await rig.counts()).jobs).toBe(1);
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    await rig.pass(8 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:04:00', '2026-03-01T00:08:00']);
  });

  it('does not start an occurrence while the one before runs on, with overlap: skip', async () => {
    const rig = scheduled(({ job }) => (job.attempt < 4 ? { verdict: 'snooze', delayMs: 5 * MINUTE } : undefined));
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', overlap: 'skip' }));
    await rig.pass(41 * MINUTE);
    expect([...new Set(rig.ran)]).toEqual(['2026-03-01T00:10:00', '2026-03-01T00:30:00']);
    expect((await rig.rows('history')).map((row) => String(row['outcome'])).toSorted()).toEqual(['completed', 'skipped', 'skipped']);
    expect((await rig.admin.schedules.get('nightly'))?.skipped).toBe(2);
  });

  it('is an exclusive group of its own with overlap: queue', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', overlap: 'queue' }));
    await rig.tick();
    expect((await rig.rows('timers'))[0]).toMatchObject({ group: 'schedule/nightly', schedule: 'nightly' });
    await rig.pass(15 * MINUTE);
    expect(rig.ran).toHaveLength(1);
  });

  it('runs once more at once when told to, paused or not, and its sequence stays as it is', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const before = await rig.admin.schedules.get('nightly');
    await rig.admin.schedules.runNow('nightly');
    await rig.drain();
    expect(rig.ran).toEqual(['2026-03-01T00:00:10']);
    expect((await rig.admin.schedules.get('nightly'))?.next).toEqual(before?.next);
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.runNow('nightly');
    await rig.drain();
    expect(rig.ran).toHaveLength(2);
    expect(await rig.admin.schedules.runNow('no-such')).toBeUndefined();
  });

  it('takes what was fired ahead along when it is deleted', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '*/4 * * * *' }));
    await rig.pass(MINUTE);
    expect((await rig.counts()).jobs).toBe(1);
    expect(await rig.admin.schedules.delete('nightly')).toBe(true);
    expect(await rig.admin.schedules.delete('nightly')).toBe(false);
    await rig.pass(10 * MINUTE);
    expect(rig.ran).toEqual([]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
  });

  it('keeps its sequence when only its payload changes, and begins anew with another recurrence', async () => {
    const rig = scheduled();
    const first = await rig.admin.schedules.put(schedule({ every: 'PT1H' }));
    await rig.clock.advance(10 * MINUTE);
    const second = await rig.admin.schedules.put({ ...schedule({ every: 'PT1H' }), payload: '{"kind":"other"}' });
    expect(second.next).toEqual(first.next);
    expect((await rig.rows('timers')).map((row) => row['payload'])).toEqual(['{"kind":"other"}']);
    await rig.admin.schedules.put(schedule({ every: 'PT2H' }));
    expect((await rig.rows('timers')).map((row) => row['dueAt'])).toEqual(['2026-03-01T02:10:10.000Z']);
  });

  it('runs none of its past occurrences again when its repetition changes', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ every: 'R4/2026-03-01T00:01:00Z/PT1M' }));
    await rig.pass(3 * MINUTE);
    rig.ran.length = 0;
    await rig.admin.schedules.put(schedule({ every: 'R6/2026-03-01T00:01:00Z/PT1M' }));
    await rig.pass(6 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T00:04:00', '2026-03-01T00:05:00', '2026-03-01T00:06:00']);
  });

  it('writes its next occurrence although this one cannot be read', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const [row] = await rig.rows('timers');
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, starts: 'garbage' } });
    await rig.clock.advance(58 * MINUTE);
    await rig.tick();
    expect(await rig.counts()).toMatchObject({ deadLetters: 1, timers: 1 });
    expect((await rig.rows('timers'))[0]).toMatchObject({ nominalAt: '2026-03-01T02:00:00.000Z' });
  });

  it('does not plan again what could not be read, however it is paused and resumed', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const [row] = await rig.rows('timers');
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...row, starts: 'garbage' } });
    await rig.clock.advance(58 * MINUTE);
    // The row is set aside; before the schedule goes on, somebody pauses it.
    const [damaged] = await rig.rows('timers');
    await quarantineInGroup(rig.deps, { table: 'timers', row: damaged ?? {}, error: new Error('unreadable') });
    await rig.admin.schedules.pause('nightly');
    await rig.admin.schedules.resume('nightly');
    expect((await rig.rows('timers'))[0]).toMatchObject({ nominalAt: '2026-03-01T02:00:00.000Z' });
    expect((await rig.counts()).deadLetters).toBe(1);
  });

  it('is repaired by the sweeper when its next timer is lost, and goes on after one that was cancelled', async () => {
    const rig = scheduled();
    const { next } = await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const [row] = await rig.rows('timers');
    await rig.tables.write({ op: 'delete', table: 'timers', key: { shard: String(row?.['shard']), due: String(row?.['due']) } });
    await rig.sweep();
    expect(await rig.counts()).toMatchObject({ timers: 0 });
    await rig.clock.advance(59 * MINUTE);
    await rig.sweep();
    expect((await rig.rows('timers'))[0]).toMatchObject({ id: next?.id, shard: shardOf(next?.id ?? '') });
    await rig.client.cancel(next?.id ?? '');
    await rig.sweep();
    expect((await rig.rows('timers'))[0]).toMatchObject({ nominalAt: '2026-03-01T02:00:00.000Z' });
    await rig.clock.advance(62 * MINUTE);
    await rig.tick();
    await rig.drain();
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('follows the code: what is declared is put once, what is gone is removed, an operator keeps his own', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 1 * * *' }, 'by-hand'));
    const [daily, weekly] = [schedule({ cron: '0 2 * * *' }, 'daily'), schedule({ cron: '0 3 * * 1' }, 'weekly')];
    expect(await syncSchedules(rig.deps, [daily, weekly])).toEqual({ put: ['daily', 'weekly'], deleted: [] });
    expect(await syncSchedules(rig.deps, [daily, weekly])).toEqual({ put: [], deleted: [] });
    await rig.admin.schedules.pause('daily');
    expect(await syncSchedules(rig.deps, [{ ...daily, payload: '{}' }])).toEqual({ put: ['daily'], deleted: ['weekly'] });
    const { schedules } = await rig.admin.schedules.list();
    expect(schedules.map(({ name, origin, paused }) => [name, origin, paused !== undefined])).toEqual([
      ['by-hand', 'operator', false],
      ['daily', 'code', true],
    ]);
    await expect(rig.admin.schedules.delete('daily')).rejects.toThrow(/Code declares this schedule/);
    expect(await syncSchedules(rig.deps, [])).toEqual({ put: [], deleted: ['daily'] });
    expect(await rig.counts()).toMatchObject({ timers: 1 });
  });
});
