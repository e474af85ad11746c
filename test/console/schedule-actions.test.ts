import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { syncSchedules } from '../../functions/acquirer/sync-schedules.ts';
import { schedule, scheduled, type ScheduledRig } from '../support/scheduled-rig.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

let rig: ScheduledRig;
let page: OpenConsole;
beforeEach(async () => {
  rig = scheduled();
  await rig.admin.schedules.put(schedule({ cron: '0 9 * * *', exclude: ['SAT', '12-25'] }));
  page = await openConsole({ admin: rig.admin, now: () => rig.clock.now() });
});
afterEach(async () => page.close());

const RANGE = { from: '2026-02-01T00:00:00Z', to: '2026-02-28T23:59:59Z' };
const read = async (query = ''): Promise<string> => {
  const { status, text } = await page.get(`/schedules/nightly${query}`);
  expect([status, page.problems]).toEqual([200, []]);
  return text;
};

describe('the page of a schedule', () => {
  test('names the excluded days, and shows no occurrence on them', async () => {
    const text = await read();
    expect(text).toContain('SAT, 12-25');
    expect(text).toContain('2026-03-06 09:00');
    expect(text).not.toContain('2026-03-07 09:00');
  });

  test("counts a past range, and names the schedule's own share of it", async () => {
    expect(await read()).not.toContain('Backfill…');
    const counted = await read(`?from=${RANGE.from}&to=${RANGE.to}`);
    expect(counted).toContain('24 occurrences');
    expect(counted).toContain('Backfill…');
    expect(await read('?from=2026-02-07T00:00:00Z&to=2026-02-07T23:00:00Z')).toContain('No occurrence in this range.');
    await rig.clock.advance(86_400_000);
    expect(await read('?from=2026-03-01T00:00:00Z&to=2026-03-01T23:00:00Z')).toContain('on the schedule itself runs what is due');
    expect(await read('?from=2026-01-01T00:00:00Z&to=now')).toContain('This cannot be counted');
    await rig.admin.schedules.put(schedule({ cron: '* * * * *' }));
    expect(await read(`?from=${RANGE.from}&to=${RANGE.to}`)).toContain('There are more: continue from');
  });

  test('of a console that only reads has no button that backfills', async () => {
    const reading = await openConsole({ admin: rig.admin, now: () => rig.clock.now(), write: false });
    const { text } = await reading.get(`/schedules/nightly?from=${RANGE.from}&to=${RANGE.to}`);
    expect(text).toMatch(/<button[^>]*disabled[^>]*>\s*Backfill…/);
    expect(await reading.act('schedule-backfill', { name: 'nightly', ...RANGE })).toMatchObject({ ok: false });
    await reading.close();
  });
});

describe('a schedule made from the console', () => {
  const times = { cron: '0 6 * * MON', zone: 'Europe/Berlin' };
  const body = { name: 'weekly', type: 'report', worker: 'default', ...times, overlap: 'queue' };

  test('has what the form says, fires, and is not made twice', async () => {
    expect((await page.get('/schedules')).text).toContain('Make a schedule');
    const terms = { exclude: '12-25, 2026-04-06', missed: 'skip', until: '2d', maxRuns: 3, jitter: 'PT1S', dstGap: 'skip' };
    const more = { ...terms, payload: '{"shop":7}', tenant: 'acme', every: '' };
    expect(await page.act('schedule-make', { ...body, ...more })).toMatchObject({
      ok: true,
      message: 'Made: weekly.',
      to: '/schedules/weekly',
    });
    expect((await rig.admin.schedules.get('weekly'))?.definition).toMatchObject({
      type: 'report',
      recurrence: { ...times, exclude: ['12-25', '2026-04-06'], dst: { gap: 'skip' }, until: '2026-03-03T00:00:10.000Z' },
      maxRuns: 3,
      jitterMs: 1_000,
      overlap: 'queue',
      missed: 'skip',
      tenant: 'acme',
      payload: '{"shop":7}',
      schemaVersion: 1,
    });
    expect((await page.get('/audit')).text).toContain('schedules.put');
    const again = await page.act('schedule-make', { ...body, cron: '0 7 * * *' });
    expect(again).toMatchObject({ ok: false, message: expect.stringContaining('already') as string });
    expect((await rig.admin.schedules.get('weekly'))?.definition.recurrence.cron).toBe('0 6 * * MON');
    await rig.clock.advance(Date.parse('2026-03-02T04:57:00Z') - rig.clock.now());
    await rig.pass(5 * 60_000);
    expect(rig.ran).toContain('2026-03-02T05:00:00');
  });

  test.each([
    [{ name: undefined }, 'name'],
    [{ name: 'two words' }, 'name'],
    [{ type: '' }, 'type'],
    [{ type: 'unheard.of', worker: undefined }, 'No worker has reported this type'],
    [{ worker: 'nobody' }, 'worker'],
    [{ cron: undefined }, 'cron'],
    [{ every: 'PT1H' }, 'cron'],
    [{ cron: '61 * * * *' }, 'cron'],
    [{ overlap: 'never' }, 'overlap'],
    [{ exclude: 'SOMEDAY' }, 'exclude'],
    [{ payload: '{"shop":' }, 'payload'],
    [{ schemaVersion: 0 }, 'schemaVersion'],
    [{ from: 'tomorrow' }, 'from: "tomorrow"'],
    [{ from: '2026-05-01T00:00:00Z', until: '2026-04-01T00:00:00Z' }, 'until: "2026-04-01T00:00:00.000Z"'],
    [{ maxRuns: 0 }, 'maxRuns: 0'],
    [{ jitter: 'soon' }, 'jitter: "soon"'],
    [{ jitter: 'P2D' }, 'jitter: 172800000'],
    [{ dstGap: 'jump' }, 'dst.gap: "jump"'],
  ])('is refused with %j, with what to do', async (wrong, named) => {
    const answer = await page.act('schedule-make', { ...body, ...wrong });
    expect(answer).toMatchObject({ ok: false });
    expect(answer.message).toContain(named);
    expect(await rig.admin.schedules.get('weekly')).toBeUndefined();
  });
});

/** Between the action of a button and a field of its dialog. */
const IN_DIALOG = '[^>]*data-fields="[^"]*';

describe('each action on a schedule', () => {
  test.each([
    ['schedule-make', 'schedules.put', { name: 'new', type: 'report', worker: 'default', cron: '@daily' }, '[^]*<input name="'],
    ['schedule-pause', 'schedules.pause', { name: 'nightly' }, IN_DIALOG],
    ['schedule-resume', 'schedules.resume', { name: 'halted' }, IN_DIALOG],
    ['schedule-run-now', 'schedules.runNow', { name: 'nightly' }, IN_DIALOG],
    ['schedule-delete', 'schedules.delete', { name: 'nightly' }, IN_DIALOG],
  ])('%s asks for a reason and records it', async (action, verb, body, field) => {
    await rig.admin.schedules.put(schedule({ cron: '@daily' }, 'halted'));
    await rig.admin.schedules.pause('halted');
    const { text } = await page.get(verb === 'schedules.put' ? '/schedules' : `/schedules/${body.name}`);
    expect(text).toMatch(new RegExp(`data-action="${action}"${field}reason`));
    expect(await page.act(action, { ...body, reason: 'new shop' })).toMatchObject({ ok: true });
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb, actor: 'anna', reason: 'new shop' }));
  });
});

describe('a backfill from the console', () => {
  test('enqueues what was counted, says what was known, and leads to the jobs', async () => {
    const body = { name: 'nightly', ...RANGE, limit: 24, ratePerSecond: '100', reason: 'lost reports' };
    expect(await page.act('schedule-backfill', body)).toMatchObject({
      ok: true,
      message: 'Enqueued: 24 of nightly; 0 were known and left alone.',
      to: '/jobs?schedule=nightly',
    });
    expect((await page.act('schedule-backfill', { ...body, limit: 10 })).message).toBe(
      'Enqueued: 0 of nightly; 10 were known and left alone. There are more: continue from 2026-02-12T09:00:00.000Z.',
    );
    expect(await rig.admin.audit()).toContainEqual(
      expect.objectContaining({ verb: 'schedules.backfill', actor: 'anna', reason: 'lost reports', scope: 'schedule#nightly' }),
    );
  });

  test.each([
    [{ name: 'nobody', ...RANGE }, /no schedule nobody/],
    [{ name: 'nightly', from: RANGE.from }, /^to: /],
    [{ name: 'nightly', ...RANGE, ratePerSecond: 'fast' }, /^ratePerSecond: /],
    [{ ...RANGE }, /^name: /],
  ])('%j is refused, and nothing is written', async (body, message) => {
    expect(await page.act('schedule-backfill', body)).toMatchObject({ ok: false, message: expect.stringMatching(message) as string });
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });
});

describe('an edit from the console', () => {
  const shown = async () => (await rig.admin.schedules.get('nightly'))?.hash;

  test('changes the fields of its form, with an empty one for no excluded days', async () => {
    const form = {
      name: 'nightly',
      hash: await shown(),
      cron: '0 8 * * *',
      zone: 'Europe/Berlin',
      missed: 'all',
      overlap: 'skip',
      reason: 'earlier',
    };
    const fields = { ...form, exclude: 'SUN, 12-24/12-26 2027-01-01', payload: '{"shop":"berlin"}' };
    expect(await page.act('schedule-edit', fields)).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.definition).toMatchObject({
      recurrence: { cron: '0 8 * * *', zone: 'Europe/Berlin', exclude: ['SUN', '12-24/12-26', '2027-01-01'] },
      payload: '{"shop":"berlin"}',
      missed: 'all',
      overlap: 'skip',
    });
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'schedules.edit', actor: 'anna', reason: 'earlier' }));
    expect(await page.act('schedule-edit', form)).toMatchObject({ ok: false, conflict: true, status: 409 });
    expect(await page.act('schedule-edit', { ...form, hash: await shown() })).toMatchObject({ ok: true });
    expect((await rig.admin.schedules.get('nightly'))?.definition.recurrence.exclude).toBeUndefined();
  });

  test('sends on only what differs from what is there: the sequence of a schedule without a zone does not start over', async () => {
    const before = await rig.admin.schedules.get('nightly');
    const form = { name: 'nightly', cron: '0 9 * * *', zone: 'UTC', missed: 'coalesce', overlap: 'allow', exclude: 'SAT, 12-25' };
    const same = { ...form, payload: '{"kind": "nightly"}' };
    expect(await page.act('schedule-edit', same)).toMatchObject({ ok: true, message: 'Nothing was changed: nightly.' });
    expect(await rig.admin.schedules.get('nightly')).toEqual(before);
    expect(await page.act('schedule-edit', { ...same, overlap: 'skip' })).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.definition).toEqual({ ...before?.definition, overlap: 'skip' });
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'schedules.edit', detail: 'overlap' }));
  });

  test('sets bounds, jitter and rules for clock changes, shows them in its form, and removes those that are empty', async () => {
    const form = { name: 'nightly', exclude: 'SAT, 12-25' };
    const bounds = { from: '2026-04-01T00:00:00Z', until: '2026-12-31T23:00:00Z', maxRuns: 9 };
    const full = { ...form, ...bounds, jitter: 'PT5M', dstGap: 'skip', dstOverlap: 'both' };
    const before = (await rig.admin.schedules.get('nightly'))?.definition;
    expect(await page.act('schedule-edit', full)).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.definition).toMatchObject({
      recurrence: { from: '2026-04-01T00:00:00.000Z', until: '2026-12-31T23:00:00.000Z', dst: { gap: 'skip', overlap: 'both' } },
      maxRuns: 9,
      jitterMs: 300_000,
    });
    const { text } = await page.get('/schedules/nightly');
    for (const [name, value] of [...Object.entries(bounds), ['jitter', 'PT5M']]) expect(text).toContain(`name="${name}" value="${value}"`);
    expect(text).toMatch(/<select name="dstGap">[^/]*<option value="">default<\/option>[^]*?<option value="skip" selected/);
    expect(await page.act('schedule-edit', full)).toMatchObject({ message: 'Nothing was changed: nightly.' });
    expect(await page.act('schedule-edit', { ...full, dstOverlap: '' })).toMatchObject({ message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.definition.recurrence.dst).toEqual({ gap: 'skip' });
    expect(await page.act('schedule-edit', form)).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.definition).toEqual(before);
    const removed = { verb: 'schedules.edit', detail: 'dst, from, until, jitter, maxRuns' };
    expect(await rig.admin.audit()).toContainEqual(expect.objectContaining(removed));
  });

  test('gives its runs the tenant of its field, and none when that is empty', async () => {
    const form = { name: 'nightly', exclude: 'SAT, 12-25' };
    expect(await page.act('schedule-edit', { ...form, tenant: 'acme' })).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await page.get('/schedules/nightly')).text).toContain('name="tenant" value="acme"');
    expect(await page.act('schedule-edit', { ...form, tenant: 'acme' })).toMatchObject({ message: 'Nothing was changed: nightly.' });
    expect(await page.act('schedule-edit', form)).toMatchObject({ ok: true, message: 'Saved: nightly.' });
    expect((await rig.admin.schedules.get('nightly'))?.tenant).toBeUndefined();
  });

  test('keeps the values of hidden fields of the payload', async () => {
    await rig.admin.schedules.put(schedule({ cron: '0 9 * * *', payload: { password: 's3cret', size: 1 } }));
    const redacting = await openConsole({ admin: rig.admin, now: () => rig.clock.now(), redact: ['password'] });
    const { text } = await redacting.get('/schedules/nightly');
    expect(text).toContain('Save the schedule');
    expect(text).not.toContain('s3cret');
    const payload = '{"password":"[redacted]","size":2}';
    expect(await redacting.act('schedule-edit', { name: 'nightly', payload, exclude: '' })).toMatchObject({ ok: true });
    expect((await rig.admin.schedules.get('nightly'))?.definition.payload).toBe('{"password":"s3cret","size":2}');
    await redacting.close();
  });

  test('of a schedule that code declares is not offered, and is refused', async () => {
    await syncSchedules(rig.deps, [schedule({ cron: '0 9 * * *' }, 'declared')]);
    const { text } = await page.get('/schedules/declared');
    expect(text).toContain('Code declares this schedule: change it there and deploy.');
    expect(text).not.toContain('schedule-edit');
    expect(text).not.toContain('schedule-delete');
    expect(await page.act('schedule-edit', { name: 'declared', cron: '@daily' })).toMatchObject({ ok: false, status: 400 });
    expect(await page.act('schedule-delete', { name: 'declared' })).toMatchObject({ ok: false, status: 400 });
  });

  test('names what is wrong, or that the schedule is gone', async () => {
    const wrong = { ok: false, message: expect.stringMatching(/^exclude\.0: /) as string };
    expect(await page.act('schedule-edit', { name: 'nightly', exclude: 'easter' })).toMatchObject(wrong);
    expect(await page.act('schedule-edit', { name: 'nobody', cron: '@daily' })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/no schedule/) as string,
    });
    expect(await page.act('schedule-delete', { name: 'nightly' })).toMatchObject({ ok: true, to: '/schedules' });
    expect(await page.act('schedule-delete', { name: 'nightly' })).toMatchObject({ ok: false });
  });

  test('is not offered by a console that only reads', async () => {
    const reading = await openConsole({ admin: rig.admin, now: () => rig.clock.now(), write: false });
    expect((await reading.get('/schedules/nightly')).text).not.toContain('Save the schedule');
    await reading.close();
  });
});
