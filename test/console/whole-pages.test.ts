import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { COMMANDS } from '../../cli/commands.ts';
import { PAGES } from '../../console/pages.ts';
import type { Admin } from '../../operate/index.ts';
import type { Heartbeat } from '../../operate/heartbeats.ts';
import { InvalidInputError, StoreUnavailableError } from '../../shared/job/errors.ts';
import { COUNTS, type Counted } from '../../shared/features/statistics/model/statistics.ts';
import { fixedDeployment, HOSTILE, NOW } from './fixed-deployment.ts';
import { type OpenConsole, openConsole } from './open-console.ts';

const MINE = [
  '/',
  '/?count=1',
  '/schedules',
  '/schedules/report.daily',
  '/schedules/cleanup',
  '/suspensions',
  '/groups',
  '/limits',
  '/workers',
  '/audit',
  '/attempts',
  '/statistics',
  '/statistics?by=tenant&last=week',
  '/batches',
];

const NONE = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Counted, number>;

let page: OpenConsole;
beforeAll(async () => {
  page = await openConsole({ admin: fixedDeployment(), now: () => NOW, redact: ['password'] });
});
beforeEach(() => void page.problems.splice(0));
afterAll(async () => page.close());

async function read(path: string, from = page): Promise<string> {
  const { status, text } = await from.get(path);
  expect(from.problems).toEqual([]);
  expect(status, path).toBe(200);
  return text;
}

/** A console over an admin of its own, for one test. */
async function during(
  admin: Admin,
  work: (console: OpenConsole) => Promise<void>,
  more: Partial<Parameters<typeof openConsole>[0]> = {},
): Promise<void> {
  const own = await openConsole({ admin, now: () => NOW, ...more });
  try {
    await work(own);
  } finally {
    await own.close();
  }
}

describe('every page of the whole', () => {
  test.each(MINE)('%s says in which zone its times are', async (path) => {
    await during(fixedDeployment(), async (own) => expect(await read(path, own)).toMatch(/class="zone[^>]*>Europe\/Berlin</), {
      zone: 'Europe/Berlin',
    });
  });

  test.each(MINE)('%s tells its landmarks apart', async (path) => {
    const forms = [...(await read(path)).matchAll(/role="search"(?: aria-label="([^"]+)")?/g)].map((match) => match[1]);
    expect(forms.every((label) => label !== undefined)).toBe(true);
    expect(new Set(forms).size).toBe(forms.length);
  });

  test.each(MINE)('%s shows users texts as texts', async (path) => {
    const text = await read(path);
    expect(text).not.toContain(HOSTILE);
    expect(text).not.toMatch(/<img|<script(?! src="\/assets\/)|\sonerror="|\sonmouseover='/);
    expect(text).not.toMatch(/undefined|\[object |NaN/);
  });

  test.each(MINE)('%s names commands that the command line has', async (path) => {
    const lines = [...(await read(path)).matchAll(/<code>nightcrew ([^<]+)<\/code>/g)].map((match) => match[1]?.split(' ') ?? []);
    expect(lines.length).toBeGreaterThan(0);
    for (const [name, verb = ''] of lines) {
      const command = COMMANDS.find((one) => one.name === name);
      expect(command?.usage, name).toContain(verb.startsWith('--') ? `  ${verb} ` : verb);
    }
  });

  test('has a title, and those of the navigation have keys of their own', () => {
    const keys = PAGES.flatMap(({ nav }) => (nav === undefined ? [] : [nav.key]));
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.every((key) => /^[a-z]$/.test(key))).toBe(true);
    expect(PAGES.every(({ title }) => title !== '')).toBe(true);
    expect(new Set(PAGES.map(({ path }) => path)).size).toBe(PAGES.length);
  });

  test.each(['/', '/schedules', '/suspensions', '/groups', '/limits', '/workers', '/audit', '/attempts', '/statistics', '/batches'])(
    '%s says what an empty deployment means',
    async (path) => {
      const none = async () => [];
      const lists = { statistics: none, heartbeats: none, limitNumbers: none, workers: none, suspensions: none, acquireLocks: none };
      const nothing = fixedDeployment({
        ...lists,
        limits: async () => ({ limits: [], complete: true, readUnits: 1 }),
        errorGroups: async () => ({ groups: [], readUnits: 1 }),
        types: async () => ({ types: [], anyType: [], complete: true, readUnits: 1 }),
        blockedGroups: async () => ({ groups: [], complete: true, readUnits: 1 }),
        batches: async () => ({ batches: [] }),
        auditPage: async () => ({ entries: [] }),
        statisticsBy: async () => ({ sums: [] }),
        attempts: async () => ({ attempts: [], readUnits: 64, order: 'newest-first', dueFrom: new Date(0), dueTo: new Date(NOW) }),
        schedules: { list: async () => ({ schedules: [], unreadable: [] }) } as unknown as Admin['schedules'],
      });
      await during(nothing, async (own) => expect(await read(path, own)).toContain('empty-title'));
    },
  );
});

describe('the overview', () => {
  test('shows the fields of a heartbeat in one order, whichever the store gives them in', async () => {
    const beat = (report: Heartbeat['report']) =>
      fixedDeployment({ heartbeats: async () => [{ who: 'sweeper', at: new Date(NOW), late: false, report }] });
    const fields = async (report: Heartbeat['report']): Promise<string> => {
      let found = '';
      await during(beat(report), async (own) => {
        found = [...(await read('/', own)).matchAll(/class="field">([^<]+)</g)].map((match) => match[1]).join();
      });
      return found;
    };
    expect(await fields({ jobs: 7, overdue: 1, acted: 2 })).toBe('acted 2,jobs 7,overdue 1');
    expect(await fields({ overdue: 1, acted: 2, jobs: 7 })).toBe('acted 2,jobs 7,overdue 1');
  });

  test('never sums less for the day than for its last hour', async () => {
    let [now, completed] = [NOW, 5];
    const minute = async () => [
      { ...NONE, at: new Date(NOW - 60_000), completed },
      { ...NONE, at: new Date(NOW - 7_200_000), completed: 100 },
    ];
    const admin = fixedDeployment({ statistics: async ({ from = new Date(0) } = {}) => (await minute()).filter(({ at }) => at >= from) });
    await during(
      admin,
      async (own) => {
        const sums = async () => [...(await read('/', own)).matchAll(/>completed ([\d,]+)</g)].map((match) => match[1]);
        expect(await sums()).toEqual(['5', '105']);
        [now, completed] = [NOW + 20_000, 12];
        expect(await sums()).toEqual(['12', '112']);
      },
      { now: () => now },
    );
  });

  test('marks counts that lag as what there is at least', async () => expect(await read('/')).toContain('≥\u00a0812'));

  test('tells figures without reading a table, and counts only when it is asked to', async () => {
    const count = vi.fn(async () => fixedDeployment().count());
    await during(fixedDeployment({ count }), async (own) => {
      const text = await read('/', own);
      expect(text).toContain('1,234');
      expect(text).toContain('815');
      expect(count).not.toHaveBeenCalled();
      expect(await read('/?count=1', own)).toContain('120,000');
      await read('/?count=1', own);
      expect(count).toHaveBeenCalledTimes(1);
    });
  });

  test('shows who ticks late, with the article of the runbook', async () => {
    const text = await read('/');
    expect(text).toMatch(/sweeper<\/strong>[\s\S]*?late[\s\S]*?sweeper-heartbeat/);
    expect(text).not.toContain('acquirer-heartbeat');
  });

  test('keeps its other parts when one cannot be read', async () => {
    const admin = fixedDeployment({
      heartbeats: async () => {
        throw new StoreUnavailableError('query', new Error('throttled'));
      },
    });
    await during(admin, async (own) => {
      const text = await read('/', own);
      expect(text).toContain('The store did not answer');
      expect(text).toContain('TimeoutError');
    });
  });
});

describe('the header', () => {
  test('names the place, and says PRODUCTION and read-only where it is', async () => {
    expect(await read('/audit')).not.toMatch(/PRODUCTION|read-only/);
    const place = { name: '123456789012 eu-west-1', production: true };
    await during(
      fixedDeployment(),
      async (own) => {
        const text = await read('/suspensions', own);
        expect(text).toMatch(/PRODUCTION[\s\S]*123456789012 eu-west-1[\s\S]*read-only/);
        expect(text).not.toMatch(/data-action=/);
        expect(text).toContain('disabled');
      },
      { place, write: false },
    );
  });
});

describe('a schedule', () => {
  test('shows its next runs with what daylight saving does to them, and hides what is to be hidden', async () => {
    const text = await read('/schedules/report.daily');
    expect(text).toContain('the clocks skip its time that day');
    expect(text).toContain('[redacted]');
    expect(text).not.toContain('s3cret');
    expect(text.match(/class="cell"/g)?.length).toBeGreaterThanOrEqual(20);
  });

  test('that is unknown is a plain answer', async () =>
    expect(await page.get('/schedules/nobody')).toMatchObject({
      status: 404,
      text: expect.stringContaining('There is no schedule nobody.') as string,
    }));

  test('is paused, resumed and run now, and says so when it is not so', async () => {
    expect(await page.act('schedule-pause', { name: 'report.daily', reason: 'why' })).toMatchObject({ ok: true, status: 200 });
    expect(await page.act('schedule-pause', { name: 'cleanup' })).toMatchObject({ ok: false, status: 409 });
    expect(await page.act('schedule-resume', { name: 'cleanup' })).toMatchObject({ ok: true });
    expect(await page.act('schedule-resume', { name: 'report.daily' })).toMatchObject({ ok: false, status: 409 });
    expect(await page.act('schedule-run-now', { name: 'report.daily' })).toMatchObject({ ok: true, to: expect.stringContaining('/jobs/') });
    expect(await page.act('schedule-run-now', { name: 'nobody' })).toMatchObject({ ok: false, status: 409 });
    expect(await page.act('schedule-pause', {})).toMatchObject({ ok: false, status: 400 });
  });
});

describe('a suspension', () => {
  const calls = { suspend: vi.fn<Admin['suspend']>(async () => undefined), resume: vi.fn<Admin['resume']>(async () => 'resumed') };

  test('goes to the admin as its scope, with who and why', async () => {
    await during(fixedDeployment(calls), async (own) => {
      const suspend = async (body: Record<string, unknown>) => own.act('suspend', { reason: 'why', ...body });
      expect(await suspend({ kind: 'all' })).toMatchObject({ ok: true });
      expect(await suspend({ kind: 'tenant', name: 'acme', until: '2h' })).toMatchObject({ ok: true });
      expect(await suspend({ kind: 'type', name: 'a.b', worker: 'films' })).toMatchObject({ ok: true });
      expect(calls.suspend.mock.calls).toEqual([
        ['all', { actor: 'anna', reason: 'why' }],
        [{ tenant: 'acme' }, { actor: 'anna', reason: 'why', until: new Date(NOW + 7_200_000) }],
        [
          { type: 'a.b', worker: 'films' },
          { actor: 'anna', reason: 'why' },
        ],
      ]);
      for (const body of [
        {},
        { kind: 'tenant' },
        { kind: 'job', name: 'x' },
        { kind: 'tenant', name: 'x', worker: 'y' },
        { kind: 'all', until: 'soon' },
      ]) {
        expect(await suspend(body)).toMatchObject({ ok: false, status: 400 });
      }
      expect(calls.suspend).toHaveBeenCalledTimes(3);
    });
  });

  test('is ended by the scope that the list shows, whatever its text', async () => {
    await during(fixedDeployment(calls), async (own) => {
      for (const [scope, given] of [
        ['all', 'all'],
        ['type#a.b@films', { type: 'a.b', worker: 'films' }],
        ['type#a.b', { type: 'a.b' }],
        [`tenant#${HOSTILE}@x`, { tenant: `${HOSTILE}@x` }],
        ['group# a#b ', { group: ' a#b ' }],
      ] as const) {
        expect(await own.act('resume', { scope, ratePerSecond: 5 })).toMatchObject({ ok: true });
        expect(calls.resume).toHaveBeenLastCalledWith(given, { actor: 'anna', ratePerSecond: 5 });
      }
      for (const scope of ['', 'x', 'job#1', 7, null]) expect(await own.act('resume', { scope })).toMatchObject({ ok: false, status: 400 });
      calls.resume.mockResolvedValueOnce('not-suspended');
      expect(await own.act('resume', { scope: 'all' })).toMatchObject({ ok: false, status: 409 });
    });
  });
});

describe('the audit', () => {
  test('leads to what is behind its page', async () => {
    const asked: unknown[] = [];
    const auditPage: Admin['auditPage'] = async (options) => (asked.push(options?.after), { entries: [], next: 'further back' });
    await during(fixedDeployment({ auditPage }), async (own) => {
      expect((await own.get('/audit?day=2026-01-31')).text).toContain('href="/audit?day=2026-01-31&amp;after=further+back"');
      await own.get('/audit?day=2026-01-31&after=further+back');
      expect(asked).toEqual([undefined, 'further back']);
    });
  });

  test('passes a bad day on as a plain answer', async () => {
    const auditPage: Admin['auditPage'] = async ({ day } = {}) => {
      throw new InvalidInputError('day', day, 'Use a day in UTC, such as 2026-01-31.');
    };
    await during(fixedDeployment({ auditPage }), async (own) => {
      const { status, text } = await own.get('/audit?day=yesterday');
      expect(status).toBe(400);
      expect(text).toContain('2026-01-31');
    });
  });
});
