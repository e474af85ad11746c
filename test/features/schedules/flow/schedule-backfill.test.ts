import { describe, expect, it } from 'vitest';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** The rig begins on 2026-03-01. */
const FEBRUARY = { from: '2026-02-01T00:00:00Z', to: '2026-02-28T23:59:59Z' };

const put = async (rig: ScheduledRig, more: object = {}) => rig.admin.schedules.put(schedule({ cron: '0 9 * * *', ...more }));
const backfill = async (rig: ScheduledRig, options: object = {}) => rig.admin.schedules.backfill('nightly', { ...FEBRUARY, ...options });

describe('a backfill', () => {
  it('is a dry run by default: it counts the occurrences of the range, and writes nothing', async () => {
    const rig = scheduled();
    await put(rig, { exclude: ['SAT', 'SUN'] });
    const rows = async () => Promise.all([rig.rows('control'), rig.rows('jobs'), rig.rows('timers')]);
    const before = await rows();
    expect(await backfill(rig)).toEqual({
      applied: false,
      count: 20,
      first: new Date('2026-02-02T09:00:00Z'),
      last: new Date('2026-02-27T09:00:00Z'),
      enqueued: 0,
      known: 0,
    });
    expect(await rows()).toEqual(before);
    expect(await rig.admin.audit()).toMatchObject([{ verb: 'schedules.put' }]);
  });

  it('enqueues each occurrence once, with its nominal time and a mark for the handler, and tells the audit', async () => {
    const seen: string[] = [];
    const rig = scheduled(({ job, payload }) => void seen.push(JSON.stringify([job.nominalAt, job.schedule, job.backfill, payload])));
    await put(rig, { payload: { shop: 'berlin' }, tenant: 'acme', priority: 3, correlationId: 'c-1' });
    const range = { from: '2026-02-26T09:00:00Z', to: '2026-02-28T09:00:00Z', actor: 'ann', reason: 'lost reports' };
    const report = { count: 3, enqueued: 3, known: 0, applied: true };
    expect(await backfill(rig, { ...range, apply: true })).toMatchObject(report);
    const [row] = await rig.rows('jobs');
    expect(row).toMatchObject({ kind: 'async', schedule: 'nightly', backfill: true, tenant: 'acme', priority: 3, correlationId: 'c-1' });
    expect(await rig.admin.find(String(row?.['id']))).toMatchObject({ backfill: true, schedule: 'nightly' });
    await rig.drain();
    expect(seen.toSorted()).toEqual(
      ['26', '27', '28'].map((day) => JSON.stringify([new Date(`2026-02-${day}T09:00:00Z`), 'nightly', true, { shop: 'berlin' }])),
    );
    expect(await backfill(rig, { ...range, apply: true })).toMatchObject({ count: 3, enqueued: 0, known: 3 });
    await rig.drain();
    expect(rig.ran).toHaveLength(3);
    const said = { verb: 'schedules.backfill', scope: 'schedule#nightly', actor: 'ann', reason: 'lost reports', tenant: 'acme' };
    const between = '2026-02-26T09:00:00.000Z to 2026-02-28T09:00:00.000Z: ';
    expect((await rig.admin.audit()).filter(({ verb }) => verb === said.verb).map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([`${between}began`, `${between}3 enqueued, 0 known`, `${between}0 enqueued, 3 known`]),
    );
    expect((await rig.admin.audit()).find(({ verb }) => verb === said.verb)).toMatchObject(said);
    expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: 0, missed: 0, skipped: 0 });
  });

  it('leaves alone what ran, failed for good, was cancelled, or has yet to run, also under another payload since', async () => {
    const rig = scheduled(({ job }) => {
      if (job.nominalAt?.getUTCHours() === 2) throw new Error('no report');
    });
    const hourly = (payload: object) =>
      rig.admin.schedules.put({ ...schedule({ cron: '0 * * * *', payload: { ...payload } }), retry: 'never' });
    await hourly({ version: 1 });
    await rig.pass(2 * HOUR + 30 * MINUTE, 10 * MINUTE);
    const { next } = (await rig.admin.schedules.get('nightly')) ?? {};
    expect(await rig.client.cancel(next?.id ?? '')).toBe('cancelled');
    await rig.pass(HOUR, 10 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T01:00:00', '2026-03-01T02:00:00']);
    await hourly({ version: 2 });
    const range = { from: '2026-02-28T23:00:00Z', to: new Date(rig.clock.now()) };
    expect(await backfill(rig, { ...range, apply: true })).toMatchObject({ count: 4, enqueued: 2, known: 2 });
    await rig.drain();
    expect(rig.ran.slice(2).toSorted()).toEqual(['2026-02-28T23:00:00', '2026-03-01T00:00:00']);
  });

  it('goes on where its limit ended it', async () => {
    const rig = scheduled();
    await put(rig);
    const taken: unknown[] = [];
    let from: Date | string | undefined = FEBRUARY.from;
    while (from !== undefined) {
      const report: Awaited<ReturnType<typeof backfill>> = await backfill(rig, { from, limit: 10, apply: true });
      taken.push([report?.count, report?.enqueued, report?.next?.toISOString().slice(0, 10)]);
      from = report?.next;
    }
    expect(taken).toEqual([
      [10, 10, '2026-02-11'],
      [10, 10, '2026-02-21'],
      [8, 8, undefined],
    ]);
    expect(await rig.counts()).toMatchObject({ jobs: 28 });
  });

  it('takes 1,000 occurrences at most', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '* * * * *' }));
    expect(await backfill(rig)).toMatchObject({ count: 1_000, next: new Date('2026-02-01T16:40:00Z') });
  });

  it('lets jobs become due at the rate that was asked for, as many in a call as the delay horizon has room for', async () => {
    const rig = scheduled();
    await put(rig);
    const now = rig.clock.now();
    expect(await backfill(rig, { ratePerSecond: 0.1, apply: true, limit: 5 })).toMatchObject({ count: 5, enqueued: 5 });
    expect((await rig.rows('jobs')).map((row) => Date.parse(String(row['dueAt'])) - now).toSorted((a, b) => a - b)).toEqual(
      [0, 10, 20, 30, 40].map((seconds) => seconds * SECOND),
    );
    await rig.drain();
    expect(rig.ran).toHaveLength(1);
    await rig.clock.advance(10 * SECOND);
    await rig.drain();
    expect(rig.ran).toHaveLength(2);
    const horizon = rig.deps.deployment.settings.delayHorizonMs;
    expect(await backfill(rig, { ratePerSecond: 0.01 })).toMatchObject({ count: Math.floor(horizon / (100 * SECOND)) + 1 });
  });

  it('of an unknown schedule is no answer', async () => {
    const rig = scheduled();
    expect(await backfill(rig, { apply: true })).toBeUndefined();
    expect(await rig.admin.audit()).toEqual([]);
  });

  it('of a range without occurrences does nothing', async () => {
    const rig = scheduled();
    await put(rig);
    const range = { from: '2026-02-01T10:00:00Z', to: '2026-02-01T11:00:00Z' };
    expect(await backfill(rig, { ...range, apply: true })).toEqual({ applied: true, count: 0, enqueued: 0, known: 0 });
  });
});

describe('the occurrences that a schedule has yet to decide about', () => {
  it('are left to it: the next one, however late it is', async () => {
    const rig = scheduled();
    await put(rig);
    await rig.clock.advance(2 * DAY);
    const range = { from: '2026-02-28T00:00:00Z', to: new Date(rig.clock.now()), apply: true };
    expect(await backfill(rig, range)).toMatchObject({ count: 1, enqueued: 1, undecided: new Date('2026-03-01T09:00:00Z') });
    await rig.pass(HOUR, 10 * MINUTE);
    expect(rig.ran.toSorted()).toEqual(['2026-02-28T09:00:00', '2026-03-01T09:00:00']);
    // The second one was missed, and only a backfill brings it back.
    expect(await backfill(rig, range)).toMatchObject({ count: 3, enqueued: 1, known: 2 });
    await rig.drain();
    expect(rig.ran).toHaveLength(3);
  });

  it('are left to it: those of a pause, which its resume decides about', async () => {
    const rig = scheduled();
    await put(rig, { missed: 'all' });
    await rig.admin.schedules.pause('nightly');
    await rig.clock.advance(2 * DAY);
    const range = { from: '2026-02-28T00:00:00Z', to: new Date(rig.clock.now()), apply: true };
    expect(await backfill(rig, range)).toMatchObject({ count: 1, undecided: new Date('2026-03-01T09:00:00Z') });
    await rig.drain();
    expect(rig.ran).toEqual(['2026-02-28T09:00:00']);
    await rig.admin.schedules.resume('nightly');
    await rig.pass(HOUR, 10 * MINUTE);
    expect(rig.ran).toHaveLength(3);
  });

  it('are left to it: those of a pause after the last occurrence, and those whose jitter may not be over', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ every: 'R2/2026-02-27T09:00:00Z/P1D', missed: 'skip' }));
    await rig.pass(HOUR, 10 * MINUTE);
    const range = { from: '2026-02-26T00:00:00Z', to: new Date(rig.clock.now()) };
    expect(await backfill(rig, range)).toMatchObject({ count: 2 });
    await rig.admin.schedules.pause('nightly');
    expect(await backfill(rig, range)).toMatchObject({ count: 2 });
    const jittery = scheduled();
    await jittery.admin.schedules.put(schedule({ cron: '*/10 * * * *', jitter: 'PT30M' }));
    await jittery.pass(2 * HOUR);
    const over = jittery.clock.now() - 30 * MINUTE;
    const report = await jittery.admin.schedules.backfill('nightly', { from: over - HOUR, to: jittery.clock.now() });
    expect(report).toMatchObject({ count: 6 });
    expect(report?.undecided?.getTime()).toBeGreaterThan(over);
  });
});

describe('backfilled occurrences beside the others of their schedule', () => {
  it.each(['skip', 'queue', 'buffer-one', 'cancel-other'] as const)(
    'with overlap: %s run beside them, and neither wait nor skip',
    async (overlap) => {
      const rig = scheduled(({ job }) => (job.backfill === true ? { verdict: 'snooze', delayMs: 5 * MINUTE } : undefined));
      await rig.admin.schedules.put(schedule({ cron: '*/10 * * * *', overlap }));
      const range = { from: '2026-02-28T22:00:00Z', to: '2026-02-28T22:20:00Z', apply: true };
      expect(await backfill(rig, range)).toMatchObject({ enqueued: 3 });
      await rig.drain();
      expect(rig.ran).toHaveLength(3);
      await rig.pass(11 * MINUTE);
      expect(rig.ran.filter((at) => at === '2026-03-01T00:10:00')).toHaveLength(1);
      expect(await rig.admin.schedules.get('nightly')).toMatchObject({ runs: 1, skipped: 0 });
      const turns = (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('schedule-run#'));
      const own = (await rig.rows('history')).find((row) => row['nominalAt'] === '2026-03-01T00:10:00.000Z');
      expect(new Set(turns.map((row) => row['jobId']))).toEqual(new Set([own?.['id']]));
    },
  );

  it('run though their schedule is paused or deleted meanwhile, and are held by a suspension of the schedule', async () => {
    const rig = scheduled();
    await put(rig);
    await backfill(rig, { limit: 2, apply: true });
    await rig.admin.schedules.pause('nightly');
    await rig.drain();
    expect(rig.ran).toHaveLength(2);
    await backfill(rig, { from: '2026-02-03T00:00:00Z', limit: 1, apply: true });
    await rig.admin.schedules.delete('nightly');
    await rig.drain();
    expect(rig.ran).toHaveLength(3);
    await put(rig);
    await rig.admin.suspend({ schedule: 'nightly' }, { reason: 'not now' });
    await rig.clock.advance(MINUTE);
    await backfill(rig, { from: '2026-02-10T00:00:00Z', limit: 1, apply: true });
    await rig.drain();
    expect(rig.ran).toHaveLength(3);
    expect(await rig.counts()).toMatchObject({ suspended: 1 });
  });

  it('are jobs like any other to an operator, who may move and cancel them', async () => {
    const rig = scheduled();
    await put(rig);
    await backfill(rig, { limit: 1, apply: true });
    const id = String((await rig.rows('jobs'))[0]?.['id']);
    expect(await rig.client.reschedule(id, { delay: 'PT2H' })).toBe('rescheduled');
    expect(await backfill(rig, { limit: 1, apply: true })).toMatchObject({ enqueued: 0, known: 1 });
    await rig.admin.schedules.delete('nightly');
    await rig.pass(3 * HOUR, 10 * MINUTE);
    expect(rig.ran).toEqual(['2026-02-01T09:00:00']);
  });
});
