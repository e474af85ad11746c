import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BulkReport } from '../../operate/index.ts';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

let world: EveryState;
let page: OpenConsole;

beforeEach(async () => {
  world = await jobsInEveryState(9);
  page = await openConsole({ admin: world.admin, now: () => world.kit.clock.now(), redact: ['password'] });
});

afterEach(async () => {
  if (page.problems.length > 0) throw new Error(page.problems.join('\n'));
  await world.release();
  await page.close();
});

async function stateOf(id: string): Promise<string | undefined> {
  return (await world.admin.find(id))?.state;
}

/** Waits for a bulk action of the background to end. */
async function ended(id: string | undefined): Promise<BulkReport | undefined> {
  for (let turns = 0; turns < 500; turns++) {
    const found = (await world.admin.bulks()).find((bulk) => bulk.id === id);
    if (found !== undefined && found.status !== 'running') return found;
    // A run may wait for its rate, or for a producer's last attempt.
    await world.kit.clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

describe('actions on one job', () => {
  it('redrive, delete and cancel do what they say, and say what they did', async () => {
    const { dead, waiting, running } = world.ids;
    expect(await page.act('redrive', { id: dead })).toMatchObject({ status: 200, ok: true, to: `/jobs/${dead}` });
    expect(await stateOf(dead)).toBe('ready');
    expect(await page.act('redrive', { id: dead })).toMatchObject({
      status: 409,
      ok: false,
      message: expect.stringContaining('nothing was changed') as string,
    });
    expect(await page.act('cancel', { id: waiting, reason: 'not needed' })).toMatchObject({
      ok: true,
      message: 'Cancelled: it will not run.',
    });
    expect(await page.act('cancel', { id: waiting })).toMatchObject({ ok: false });
    expect(await page.act('cancel', { id: running })).toMatchObject({
      ok: true,
      message: expect.stringContaining('asked to stop') as string,
    });
    expect(await page.act('cancel', { id: running })).toMatchObject({ ok: false, message: 'It runs and was asked to stop already.' });
    const other = (await world.admin.list({ state: 'dead' })).jobs[0]?.id ?? '';
    expect(await page.act('delete', { id: other })).toMatchObject({ ok: true, to: '/dead-letters' });
    expect(await stateOf(other)).toBeUndefined();
    expect(await page.act('delete', { id: running })).toMatchObject({ ok: false, message: 'The job runs by now: nothing was changed.' });
  });

  it('times, tries, priority, tenant, stops and starts reach the job', async () => {
    const { waiting, suspended, ready, dead } = world.ids;
    expect(await page.act('set-due-date', { id: waiting, at: '3h' })).toMatchObject({ ok: true });
    expect((await world.admin.find(waiting))?.dueAt.getTime()).toBe(world.kit.clock.now() + 3 * 3_600_000);
    expect(await page.act('set-priority', { id: waiting, priority: 7, reason: 'first' })).toMatchObject({ ok: true });
    expect(await world.admin.find(waiting)).toMatchObject({ priority: 7 });
    expect(await page.act('set-retries', { id: waiting, retries: 5 })).toMatchObject({ ok: true });
    expect(await page.act('change-tenant', { id: waiting, tenant: 'other' })).toMatchObject({ ok: true });
    expect(await world.admin.find(waiting)).toMatchObject({ tenant: 'other' });
    expect(await page.act('change-tenant', { id: waiting })).toMatchObject({ ok: true, message: 'It belongs to no tenant now.' });
    expect(await page.act('move', { id: waiting, type: 'other' })).toMatchObject({ ok: true, message: 'It belongs to type other now.' });
    expect(await world.admin.find(waiting)).toMatchObject({ type: 'other' });
    expect(await page.act('move', { id: waiting })).toMatchObject({ ok: false });
    expect(await page.act('suspend-job', { id: ready, reason: 'look' })).toMatchObject({ ok: true });
    expect(await stateOf(ready)).toBe('suspended');
    expect(await page.act('resume-job', { id: ready })).toMatchObject({ ok: true });
    expect(await page.act('run-now', { id: suspended })).toMatchObject({ ok: true });
    expect(await stateOf(suspended)).toBe('ready');
    expect(await page.act('set-retries', { id: dead, retries: 2 })).toMatchObject({ ok: true });
    expect(await stateOf(dead)).toBe('ready');
  });

  it('say times in the zone of the console', async () => {
    const berlin = await openConsole({ admin: world.admin, now: () => world.kit.clock.now(), zone: 'Europe/Berlin' });
    expect(await berlin.act('set-due-date', { id: world.ids.waiting, at: '2030-07-01T00:30:00Z' })).toMatchObject({
      message: 'It is due at 2030-07-01 02:30:00 (Europe/Berlin).',
    });
    await berlin.close();
  });

  it.each([
    ['redrive', {}],
    ['redrive', { id: 'x' }],
    ['redrive', { id: ['a'] }],
    ['redrive', { id: '019b76e4-ba20-7000-8000-000030c35a1a', at: 'soon' }],
    ['redrive', { id: '019b76e4-ba20-7000-8000-000030c35a1a', at: '0001-01-01T00:00:00Z' }],
    ['set-due-date', { id: '019b76e4-ba20-7000-8000-000030c35a1a', at: '0001-01-01T00:00:00Z' }],
    ['set-due-date', { id: '019b76e4-ba20-7000-8000-000030c35a1a', at: '2026-02-30T00:00:00Z' }],
    ['redrive', { id: '019b76e4-ba20-7000-8000-000030c35a1a', retries: 1.5 }],
    ['set-due-date', { id: '019b76e4-ba20-7000-8000-000030c35a1a' }],
    ['set-priority', { id: '019b76e4-ba20-7000-8000-000030c35a1a', priority: 'high' }],
    ['suspend-job', { id: '019b76e4-ba20-7000-8000-000030c35a1a', reason: '  ' }],
    ['edit-payload', { id: '019b76e4-ba20-7000-8000-000030c35a1a', payload: '{}' }],
    ['change-tenant', { id: '019b76e4-ba20-7000-8000-000030c35a1a', tenant: 'x'.repeat(300) }],
    ['bulk', { verb: 'redrive' }],
    ['bulk', { verb: '__proto__', query: '', dryRun: true }],
    ['bulk', { verb: 'delete', query: 'state=running', dryRun: true }],
    ['bulk', { verb: 'delete', query: 'state=dead' }],
    ['bulk', { verb: 'delete', query: 'state=dead', ids: 'all', dryRun: true }],
    ['bulk-stop', {}],
  ])('%s refuses a body that cannot be followed: %o', async (name, body) => {
    expect(await page.act(name, body)).toMatchObject({ status: 400, ok: false });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(9);
  });
});

describe('another payload', () => {
  it('redrives with it and leaves hidden fields as they were', async () => {
    const { dead } = world.ids;
    const rev = (await world.admin.find(dead))?.rev;
    const payload = '{ "to": "right@example.org", "password": "[redacted]" }';
    expect(await page.act('redrive-with-payload', { id: dead, rev, payload })).toMatchObject({ ok: true });
    const found = await world.admin.find(dead);
    expect(found?.state).toBe('ready');
    expect(JSON.parse(found?.payload ?? '')).toEqual({ to: 'right@example.org', password: 'hunter2' });
  });

  it('saves without a redrive when asked', async () => {
    const { dead, waiting } = world.ids;
    expect(
      await page.act('redrive-with-payload', { id: dead, rev: (await world.admin.find(dead))?.rev, payload: '{"a":1}', keep: true }),
    ).toMatchObject({ ok: true });
    expect(await world.admin.find(dead)).toMatchObject({ state: 'dead', payload: '{"a":1}' });
    expect(await page.act('edit-payload', { id: waiting, rev: (await world.admin.find(waiting))?.rev, payload: '{"b":2}' })).toMatchObject({
      ok: true,
    });
    expect(await world.admin.find(waiting)).toMatchObject({ state: 'waiting', payload: '{"b":2}' });
  });

  it('leaves a job alone that changed since it was shown', async () => {
    const { dead } = world.ids;
    const seen = (await world.admin.find(dead))?.rev ?? 0;
    await world.admin.editPayload(dead, { by: 'somebody else' });
    for (const name of ['edit-payload', 'redrive-with-payload']) {
      expect(await page.act(name, { id: dead, rev: seen, payload: '{}' })).toMatchObject({
        status: 409,
        message: expect.stringContaining('changed meanwhile') as string,
      });
    }
    expect(await world.admin.find(dead)).toMatchObject({ state: 'dead', payload: '{"by":"somebody else"}' });
    expect((await page.get(`/jobs/${dead}`)).text).toContain('somebody else');
  });

  it('that is larger than a job may be is refused with the limit', async () => {
    const { dead } = world.ids;
    const before = await world.admin.find(dead);
    const payload = JSON.stringify({ text: 'x'.repeat(400_000) });
    for (const name of ['edit-payload', 'redrive-with-payload']) {
      expect(await page.act(name, { id: dead, rev: before?.rev, payload })).toMatchObject({
        status: 400,
        ok: false,
        message: expect.stringMatching(/bytes of JSON are more than the limit of \d+ bytes/) as string,
      });
    }
    expect((await world.admin.find(dead))?.payload).toBe(before?.payload);
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":"\\ud800"}',
    '{',
    '12345678901234567890',
    '{"password":"[redacted]","deep":{"password":"[redacted]"}}',
    '{"__proto__":{"a":1}}',
  ])('refuses %s', async (payload) => {
    const { dead } = world.ids;
    const before = await world.admin.find(dead);
    expect(await page.act('edit-payload', { id: dead, rev: before?.rev, payload })).toMatchObject({ status: 400, ok: false });
    expect((await world.admin.find(dead))?.payload).toBe(before?.payload);
  });
});

describe('actions on many', () => {
  it('count exactly first, then act on that and show the progress', async () => {
    const asked = { verb: 'redrive', query: 'state=dead&type=mail.send&errorName=TypeError' };
    const dry = await page.act('bulk', { ...asked, dryRun: true });
    expect(dry).toMatchObject({ ok: true, count: 6, message: 'Redrive: 6 jobs. Scope: dead jobs: type mail.send, error TypeError.' });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(9);
    const begun = await page.act('bulk', { ...asked, dryRun: false, expected: 6, reason: 'the relay is back' });
    expect(begun).toMatchObject({ ok: true, to: `/bulks/${begun.bulk}` });
    expect(await ended(begun.bulk)).toMatchObject({ status: 'done', done: 6, actor: 'anna', reason: 'the relay is back' });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(3);
    expect((await page.get(`/bulks/${begun.bulk}`)).text).toContain('the relay is back');
    expect((await page.get('/bulks')).text).toContain(`/bulks/${begun.bulk}`);
  });

  it('take the chosen rows alone', async () => {
    const ids = (await world.admin.list({ state: 'dead' })).jobs.slice(0, 2).map(({ id }) => id);
    expect(await page.act('bulk', { verb: 'delete', query: 'state=dead', ids, dryRun: true })).toMatchObject({ count: 2 });
    const { bulk } = await page.act('bulk', { verb: 'delete', query: 'state=dead', ids, dryRun: false, expected: 2 });
    expect(await ended(bulk)).toMatchObject({ status: 'done', done: 2 });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(7);
  });

  it('never touch more jobs than the number that was shown', async () => {
    const { bulk } = await page.act('bulk', { verb: 'delete', query: 'state=dead', dryRun: false, expected: 4 });
    expect(await ended(bulk)).toMatchObject({ done: 4 });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(5);
  });

  it('are stopped, and go on in another console', async () => {
    const { bulk } = await page.act('bulk', { verb: 'delete', query: 'state=dead', dryRun: false, expected: 9, ratePerSecond: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await page.get(`/bulks/${bulk}`)).text).toContain('data-action="bulk-stop"');
    expect(await page.act('bulk-stop', { id: bulk })).toMatchObject({ ok: true });
    for (let turns = 0; turns < 20; turns++) {
      await world.kit.clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const stopped = await ended(bulk);
    expect(stopped?.status).toBe('stopped');
    expect(stopped?.done).toBeLessThan(9);
    expect((await page.get(`/bulks/${bulk}`)).text).toContain('data-action="bulk-resume"');
    const other = await openConsole({ admin: { ...world.admin }, now: () => world.kit.clock.now() });
    expect(await other.act('bulk-stop', { id: bulk })).toMatchObject({
      ok: false,
      message: expect.stringContaining('does not run it') as string,
    });
    expect(await other.act('bulk-resume', { id: bulk, ratePerSecond: 1_000 })).toMatchObject({ ok: true });
    expect(await ended(bulk)).toMatchObject({ status: 'done', done: 9 });
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(0);
    await other.close();
  });

  it('say that nothing matches, and that a bulk action is not there', async () => {
    expect(await page.act('bulk', { verb: 'redrive', query: 'state=dead&type=nobody', dryRun: true })).toMatchObject({
      ok: true,
      count: 0,
    });
    expect(await page.act('bulk', { verb: 'redrive', query: 'state=dead&type=nobody', dryRun: false, expected: 0 })).toMatchObject({
      ok: false,
    });
    expect(await page.act('bulk-resume', { id: 'unknown' })).toMatchObject({ ok: false, to: '/bulks' });
    expect(await page.get('/bulks/unknown')).toMatchObject({
      status: 404,
      text: expect.stringContaining('There is no such bulk action') as string,
    });
  });
});

describe('a production console', () => {
  it('acts on many only for words that were typed, the count or the name of the place', async () => {
    const place = { name: '1234 eu-west-1', production: true };
    const careful = await openConsole({ admin: world.admin, place, now: () => world.kit.clock.now() });
    const asked = { verb: 'delete', query: 'state=dead', dryRun: false, expected: 9 };
    expect((await careful.get('/jobs?state=dead')).text).toContain('data-typed="1234 eu-west-1"');
    for (const typed of [undefined, '', '8', 'local']) {
      expect(await careful.act('bulk', { ...asked, ...(typed === undefined ? {} : { typed }) })).toMatchObject({ status: 400, ok: false });
    }
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(9);
    const { bulk } = await careful.act('bulk', { ...asked, typed: '9' });
    expect(await ended(bulk)).toMatchObject({ done: 9 });
    await careful.close();
  });
});

describe('a console that may only read', () => {
  it('refuses every action and offers none', async () => {
    const reader = await openConsole({ admin: world.admin, write: false, now: () => world.kit.clock.now() });
    expect(await reader.act('redrive', { id: world.ids.dead })).toMatchObject({ status: 403, ok: false });
    expect(await reader.act('bulk', { verb: 'delete', query: 'state=dead', expected: 9 })).toMatchObject({ status: 403 });
    for (const path of ['/jobs?state=dead', `/jobs/${world.ids.dead}`, '/dead-letters', '/bulks']) {
      expect((await reader.get(path)).text, path).not.toContain('data-action=');
    }
    expect((await world.admin.count({ state: 'dead' })).dead).toBe(9);
    await reader.close();
  });
});
