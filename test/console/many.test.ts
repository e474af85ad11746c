import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bulkRunsOf } from '../../console/bulk-runs.ts';
import type { Admin, BulkReport } from '../../operate/index.ts';
import { StoreUnavailableError } from '../../shared/job/errors.ts';
import { fixedDeployment, NOW } from './fixed-deployment.ts';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { WAIT } from '../support/patience.ts';

let world: EveryState;
const opened: OpenConsole[] = [];

beforeEach(async () => {
  world = await jobsInEveryState(9);
});
afterEach(async () => {
  for (const page of opened.splice(0)) await page.close();
  await world.release();
});

async function open(admin: Partial<Admin> = {}, more: Partial<Parameters<typeof openConsole>[0]> = {}): Promise<OpenConsole> {
  const page = await openConsole({ admin: { ...world.admin, ...admin }, now: () => world.kit.clock.now(), ...more });
  opened.push(page);
  return page;
}

const report = (more: Partial<BulkReport>): BulkReport => ({
  id: 'b-1',
  action: { verb: 'delete' },
  filter: { state: 'dead' },
  status: 'stopped',
  complete: false,
  matched: 5,
  done: 5,
  leftAlone: {},
  failed: 0,
  failures: [],
  readUnits: 1,
  startedAt: new Date(NOW - 100_000),
  updatedAt: new Date(NOW - 90_000),
  actor: 'ben',
  ...more,
});

describe('the count before an action', () => {
  const asked = { verb: 'delete', query: 'state=dead', dryRun: true };
  /** Counts in pages of 1,000 read units, ten of them, and asks whether it shall go on. */
  function longCount() {
    const signals: (AbortSignal | undefined)[] = [];
    const bulk = vi.fn<Admin['bulk']>(async (action, filter, { onProgress, signal } = {}) => {
      signals.push(signal);
      let pages = 0;
      for (; pages < 10; pages++) {
        if (signal?.aborted === true) break;
        await new Promise((resolve) => setImmediate(resolve));
        onProgress?.({ matched: pages * 100 + 100, done: 0, leftAlone: {}, failed: 0, readUnits: pages * 1_000 + 1_000 });
      }
      return report({ action, filter, status: 'dry-run', matched: pages * 100, complete: pages === 10 });
    });
    return { bulk, signals };
  }

  it('ends at its read budget, says at least how many, and counts the rest when asked', async () => {
    const { bulk } = longCount();
    const page = await open({ bulk });
    expect(await page.act('bulk', asked)).toMatchObject({
      count: 300,
      more: true,
      message: expect.stringContaining('at least 300 jobs') as string,
    });
    const all = await page.act('bulk', { ...asked, countAll: true });
    expect(all).toMatchObject({ count: 1_000, message: 'Delete: 1,000 jobs. Scope: all dead jobs.' });
    expect(all.more).toBeUndefined();
  });

  it('is kept for the verbs of a page, until something was done', async () => {
    const { bulk } = longCount();
    const page = await open({ bulk });
    await page.act('bulk', asked);
    await page.act('bulk', { ...asked, verb: 'redrive' });
    expect(bulk).toHaveBeenCalledTimes(1);
    await page.act('bulk', { ...asked, query: 'state=dead&type=mail.send' });
    expect(bulk).toHaveBeenCalledTimes(2);
    await page.act('redrive', { id: world.ids.dead });
    await page.act('bulk', asked);
    expect(bulk).toHaveBeenCalledTimes(3);
  });

  it('stops when the request is closed, and is not cached', async () => {
    let begun: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const signals: (AbortSignal | undefined)[] = [];
    const bulk = vi.fn<Admin['bulk']>(async (action, filter, { signal } = {}) => {
      signals.push(signal);
      begun();
      if (signals.length === 1) await new Promise((resolve) => signal?.addEventListener('abort', resolve));
      return report({ action, filter, status: 'dry-run', matched: 9, complete: signals.length > 1 });
    });
    const page = await open({ bulk });
    const leaving = new AbortController();
    const left = page.act('bulk', asked, leaving.signal).catch(() => 'gone');
    await started;
    leaving.abort();
    expect(await left).toBe('gone');
    expect(await page.act('bulk', asked)).toMatchObject({ count: 9 });
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('in production', () => {
  const place = { name: '1234 eu-west-1', production: true };

  it('a resume, a suspension, a priority and their ends want the name of the place, whatever count is sent', async () => {
    const resumeBulk = vi.fn(async () => undefined);
    const suspend = vi.fn(async () => undefined);
    const resume = vi.fn(async () => 'resumed' as const);
    const overridePriority = vi.fn(async () => undefined);
    const clearPriority = vi.fn(async () => 'cleared' as const);
    const page = await open({ resumeBulk, suspend, resume, overridePriority, clearPriority }, { place });
    for (const [name, body] of [
      ['bulk-resume', { id: 'b-1' }],
      ['suspend', { kind: 'all', reason: 'why' }],
      ['suspend', { kind: 'tenant', name: 'acme', reason: 'why' }],
      ['resume', { scope: 'type#mail.send' }],
      ['priority-override', { type: 'mail.send', priority: 3 }],
      ['priority-clear', { scope: 'tenant#acme' }],
    ] as const) {
      for (const more of [{}, { typed: '7', expected: 7 }, { dryRun: true }, { typed: 'local' }])
        expect(await page.act(name, { ...body, ...more }), name).toMatchObject({ status: 400, ok: false });
      expect((await page.act(name, { ...body, typed: place.name })).status).not.toBe(400);
    }
    const calls = [resumeBulk, suspend, resume, overridePriority, clearPriority].map(({ mock }) => mock.calls.length);
    expect(calls).toEqual([1, 2, 1, 1, 1]);
    expect((await page.get('/suspensions')).text).toMatch(/<form[^>]*data-typed="1234 eu-west-1"/);
  });
});

describe('the numbers of every state', () => {
  it('are shown only for those that were looked at', async () => {
    const page = await open();
    const tabs = (text: string) =>
      /aria-label="States">[\s\S]*?<\/nav>/
        .exec(text)?.[0]
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ') ?? '';
    expect(tabs((await page.get('/jobs?state=dead&count=1')).text)).toMatch(/Ready Running .*Dead +9 +Finished/s);
    expect(tabs((await page.get('/jobs?count=1')).text)).toMatch(/Ready +2 .*Dead +9 .*Finished\s*$/s);
    const part = await open({ count: async () => ({ ...(await world.admin.count()), ready: 0, complete: false }) });
    expect(tabs((await part.get('/jobs?count=1')).text)).toMatch(/Ready +Running.*Dead +9\+/s);
  });
});

describe('the page of a bulk action', () => {
  it('is found by its id, however old, and shows the newer of what this console and its row say', async () => {
    let row = report({});
    const runs = { resumeBulk: vi.fn<Admin['resumeBulk']>(), bulkReport: async () => row, bulks: async () => [] };
    const page = await open(runs, { now: () => NOW });
    runs.resumeBulk.mockImplementationOnce(async (id, { onBegin } = {}) => {
      onBegin?.(id);
      row = report({ done: 6, matched: 6, updatedAt: new Date(NOW - 1) });
      return row;
    });
    expect(await page.act('bulk-resume', { id: 'b-1' })).toMatchObject({ ok: true, message: 'It continues where it stopped.' });
    row = report({ done: 777, matched: 888, updatedAt: new Date(NOW), status: 'done', complete: true });
    const { text } = await page.get('/bulks/b-1');
    expect(text).toContain('777');
    expect(text).toContain('888');
  });

  it('says what a resume answered: ended, or another process is at it', async () => {
    const answers = [report({ status: 'done' }), report({ status: 'running' }), undefined];
    const page = await open({ resumeBulk: async () => answers.shift() }, { now: () => NOW });
    expect(await page.act('bulk-resume', { id: 'b-1' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('ended already: done') as string,
    });
    expect(await page.act('bulk-resume', { id: 'b-1' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('Another process') as string,
    });
    expect(await page.act('bulk-resume', { id: 'b-1' })).toMatchObject({ ok: false, to: '/bulks' });
  });

  it('tells the terminal of a run that failed in the background', async () => {
    const told: string[] = [];
    const bulk: Admin['bulk'] = async (_action, _filter, { onBegin } = {}) => {
      onBegin?.('b-2');
      throw new StoreUnavailableError('query', new Error('throttled'));
    };
    const page = await open({ bulk }, { onProblem: (what) => told.push(what) });
    expect(await page.act('bulk', { verb: 'delete', query: 'state=dead', expected: 1 })).toMatchObject({ ok: true, bulk: 'b-2' });
    await vi.waitFor(() => expect(told).toEqual(['bulk delete']), WAIT);
  });

  it('knows a run that threw here and goes on elsewhere', async () => {
    const admin = {
      ...world.admin,
      bulk: async (_a, _f, { onBegin } = {}) => {
        onBegin?.('b-3');
        throw new StoreUnavailableError('query', new Error('throttled'));
      },
    } satisfies Admin;
    const session = { admin, now: () => NOW - 1_000 };
    await bulkRunsOf(session).start({ verb: 'delete' }, { state: 'dead' }, {});
    await vi.waitFor(() => expect(bulkRunsOf(session).look('b-3')?.endedAt).toBe(NOW - 1_000), WAIT);
    const page = await openConsole({
      admin: Object.assign(admin, { bulkReport: async () => report({ id: 'b-3', status: 'running', updatedAt: new Date(NOW) }) }),
      now: () => NOW,
    });
    opened.push(page);
    const { text } = await page.get('/bulks/b-3');
    expect(text).toContain('running elsewhere');
    expect(text).not.toContain('It stopped with an error');
  });
});

describe('a list that has more', () => {
  it('offers to act on everything that matches although its page is empty', async () => {
    const list: Admin['list'] = async () => ({ jobs: [], next: 'more', readUnits: 500, order: 'none', servedBy: 'scan' });
    const { text } = await (await open({ list })).get('/jobs?state=dead');
    expect(text).toContain('all-actions');
    expect(text).not.toContain('chosen-actions');
  });
});

describe('a page that reads itself again', () => {
  it('of error groups reads them every 15 s at most, and after an action at once', async () => {
    const errorGroups = vi.fn(async () => fixedDeployment().errorGroups());
    let now = NOW;
    const page = await open({ errorGroups }, { now: () => now });
    for (let turn = 0; turn < 3; turn++) await page.get('/dead-letters');
    expect(errorGroups).toHaveBeenCalledTimes(1);
    await page.get('/dead-letters?type=other');
    expect(errorGroups).toHaveBeenCalledTimes(2);
    now += 15_000;
    await page.get('/dead-letters');
    expect(errorGroups).toHaveBeenCalledTimes(3);
    await page.act('redrive', { id: world.ids.dead });
    await page.get('/dead-letters');
    expect(errorGroups).toHaveBeenCalledTimes(4);
  });

  it('does not count all jobs again, however long it is looked at', async () => {
    const count = vi.fn(async () => fixedDeployment().count());
    let now = NOW;
    const page = await openConsole({ admin: fixedDeployment({ count }), now: () => now });
    opened.push(page);
    await page.get('/?count=1');
    now += 3_600_000;
    expect((await page.get('/?count=1', { 'x-nightcrew-refresh': '1' })).text).toContain('120,000');
    expect(count).toHaveBeenCalledTimes(1);
    await page.get('/?count=1');
    expect(count).toHaveBeenCalledTimes(2);
  });
});
