import { describe, expect, it } from 'vitest';
import { acquireShard } from '../../../../functions/acquirer/acquire-shard.ts';
import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import { continueWith, fail } from '../../../../shared/job/verdict.ts';
import { defineJob, type JobHandler } from '../../../../shared/job/job-type.ts';
import { defineSchedule, type ScheduleOptions } from '../../../../shared/features/schedules/model/definition.ts';
import { planned } from '../../../../shared/features/schedules/model/schedule.ts';
import { SettableClock } from '../../../../shared/adapters/memory/settable-clock.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-01T00:00:00Z');
const report = defineJob('report', { payload: anyPayload });

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
  readonly pass: (ms: number) => Promise<void>;
}

function stage(handler: JobHandler): Stage {
  const clock = new SettableClock(START + 10_000);
  const rig = new Rig({ clock, handlers: [report.handle(handler)] });
  const tick = async (): Promise<void> => {
    const run = { stopAt: clock.now() + MINUTE, lockUntil: clock.now() + 2 * MINUTE };
    for (const shard of new Set((await rig.rows('timers')).map((row) => String(row['shard'])))) await acquireShard(rig.deps, shard, run);
  };
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += MINUTE) {
      await tick();
      await clock.advance(MINUTE);
      await rig.drain();
    }
  };
  return { rig, admin: createAdminOver(rig.deps), pass };
}

const schedule = (options: Partial<ScheduleOptions<Record<string, unknown>>> & { cron?: string; every?: string }) =>
  defineSchedule('nightly', { job: report, payload: {}, ...options });

describe('a schedule that had its runs', () => {
  it('goes on when its definition allows more of them, and ends at once when it allows fewer', async () => {
    let ran = 0;
    const { admin, pass } = stage(() => void ran++);
    await admin.schedules.put(schedule({ cron: '*/10 * * * *', maxRuns: 2 }));
    await pass(35 * MINUTE);
    expect(ran).toBe(2);
    await admin.schedules.put(schedule({ cron: '*/10 * * * *', maxRuns: 4 }));
    await pass(40 * MINUTE);
    expect(ran).toBe(4);
    await admin.schedules.put(schedule({ cron: '*/10 * * * *' }));
    await pass(10 * MINUTE);
    expect(ran).toBe(5);
    await admin.schedules.put(schedule({ cron: '*/10 * * * *', maxRuns: 3 }));
    expect((await admin.schedules.get('nightly'))?.next).toBeUndefined();
    await pass(30 * MINUTE);
    expect(ran).toBe(5);
  });
});

describe('the next occurrence of a schedule', () => {
  it('is not given another time in any way: the schedule would stand still until then', async () => {
    let ran = 0;
    const { rig, admin, pass } = stage(() => void ran++);
    const { next } = await admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const id = next?.id ?? '';
    expect(await admin.setDueDate(id, { delay: 'P2D' })).toBe('occurrence');
    expect(await rig.client.reschedule(id, { delay: 'P2D' })).toBe('occurrence');
    expect(await admin.bulk({ verb: 'set-due-date', delay: 'P2D' }, { type: 'report' })).toMatchObject({
      done: 0,
      leftAlone: { occurrence: 1 },
    });
    await pass(3 * HOUR + MINUTE);
    expect(ran).toBe(3);
  });

  it('that is tried again is a job like any other, and gets another time', async () => {
    let ran = 0;
    const { rig, admin, pass } = stage(() => (ran++ === 0 ? Promise.reject(new Error('no')) : undefined));
    await admin.schedules.put({ ...schedule({ cron: '0 * * * *' }), retry: 'R3/PT5H' });
    await pass(HOUR + MINUTE);
    const [failed] = (await rig.rows('timers')).filter(({ failures }) => failures === 1);
    expect(await admin.setDueDate(String(failed?.['id']), { delay: 0 })).toBe('rescheduled');
    await pass(MINUTE);
    expect(ran).toBe(2);
  });
});

describe('an occurrence of a schedule that is deleted', () => {
  it('goes on where it said that it would, because it had begun', async () => {
    const states: unknown[] = [];
    const { rig, admin, pass } = stage(({ state }) => {
      states.push(state);
      return state === undefined ? continueWith({ half: true }) : undefined;
    });
    await admin.schedules.put(schedule({ cron: '30 * * * *' }));
    await pass(28 * MINUTE);
    await rig.clock.advance(2 * MINUTE);
    await rig.deliver();
    expect(states).toEqual([undefined]);
    await admin.schedules.delete('nightly');
    await rig.clock.advance(5_000);
    await rig.drain();
    expect(states).toEqual([undefined, { half: true }]);
    expect(rig.journal.count('skipped')).toBe(0);
  });

  it.each([
    ['now', {}],
    ['later', { at: new Date('2026-03-01T03:00:00Z') }],
  ])('runs when an operator redrives it %s from the dead letters', async (_when, options) => {
    let ran = 0;
    const { rig, admin, pass } = stage(() => (ran++ === 0 ? fail('no') : undefined));
    await admin.schedules.put({ ...schedule({ cron: '30 * * * *' }), retry: 'never' });
    await pass(35 * MINUTE);
    const [dead] = await rig.rows('deadLetters');
    await admin.schedules.delete('nightly');
    expect(await admin.redrive(String(dead?.['id']), options)).toBe('redriven');
    await pass(3 * HOUR);
    expect(ran).toBe(2);
  });
});

describe('a run of a schedule that waits for its retry', () => {
  it('is run now and stopped like any other job: its schedule waits for another one', async () => {
    let ran = 0;
    const { rig, admin, pass } = stage(() => {
      if (ran++ === 0) throw new Error('no');
    });
    await admin.schedules.put({ ...schedule({ cron: '30 3 * * *' }), retry: 'R3/PT1H' });
    await pass(3.6 * HOUR);
    const retry = (await rig.rows('timers')).find((row) => row['starts'] === 1);
    expect(await admin.breakpoint(String(retry?.['id']), { reason: 'a look' })).toBe('stopped');
    expect(await admin.resumeJob(String(retry?.['id']))).toBe('waiting');
    expect(await admin.runNow(String(retry?.['id']))).toBe('started');
    await rig.drain();
    expect(ran).toBe(2);
  });
});

describe('a schedule whose jitter is longer than its period', () => {
  it('runs each occurrence, none later than its jitter allows', async () => {
    const late: number[] = [];
    const { rig, admin, pass } = stage(({ job }) => void late.push(rig.clock.now() - (job.nominalAt?.getTime() ?? 0)));
    await admin.schedules.put(schedule({ cron: '*/5 * * * *', jitter: 'PT30M' }));
    await pass(3 * HOUR);
    expect(late.length).toBeGreaterThanOrEqual(29);
    expect(Math.max(...late)).toBeLessThanOrEqual(31 * MINUTE);
    expect(await admin.schedules.get('nightly')).toMatchObject({ missed: 0 });
  });

  it.each(['PT30M', 'PT3H'])(
    'of %s starts nothing that was fired ahead when it is paused, and nothing twice afterwards',
    async (jitter) => {
      const ran: (number | undefined)[] = [];
      const { rig, admin, pass } = stage(({ job }) => void ran.push(job.nominalAt?.getTime()));
      const hours = Array.from({ length: 24 }, (_, hour) => planned(schedule({ cron: '0 * * * *', jitter }), START + (hour + 1) * HOUR));
      const late = hours.find(({ nominal, dueAt }) => dueAt - nominal > 10 * MINUTE);
      if (late === undefined) throw new Error('Every jitter is short.');
      await admin.schedules.put(schedule({ cron: '0 * * * *', jitter, from: new Date(late.nominal) }));
      await rig.clock.advance(late.dueAt - 2 * MINUTE - rig.clock.now());
      await pass(MINUTE);
      expect((await rig.rows('jobs')).map(({ id }) => id)).toContain(late.id);
      const before = [...ran];
      await admin.schedules.pause('nightly');
      await pass(10 * MINUTE);
      expect(ran).toEqual(before);
      await admin.schedules.resume('nightly');
      await pass(5 * HOUR);
      expect(ran.length).toBeGreaterThan(before.length);
      expect(new Set(ran).size).toBe(ran.length);
      expect(rig.journal.count('skipped')).toBe(0);
      // A pause makes up for it, unless one behind it had run already.
      if (before.length === 0) expect(ran).toContain(late.nominal);
    },
  );
});
