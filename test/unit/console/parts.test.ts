import { describe, expect, test } from 'vitest';
import { bucketsOf } from '../../../console/overview/buckets.ts';
import { actionButton, actionForm } from '../../../console/parts/action-button.ts';
import { barChart, lineChart, niceTop } from '../../../console/parts/charts.ts';
import { shellLine } from '../../../console/parts/copy.ts';
import { href } from '../../../console/parts/links.ts';
import { pager } from '../../../console/parts/pager.ts';
import { scopeOf, scopeWords } from '../../../console/parts/scope-text.ts';
import { table } from '../../../console/parts/table.ts';
import { duration, inZone, relative, when } from '../../../console/parts/times.ts';
import { remembered } from '../../../console/remembered.ts';

const HOSTILE = `"><script>alert(1)</script>'`;
const text = async (markup: unknown): Promise<string> => String(await markup);

describe('times', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [4_250, '4.2 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 d'],
    [273_600_000, '3 d 4 h'],
  ])('%d ms are %s', (ms, words) => expect(duration(ms)).toBe(words));

  test('are as far from now as they are, on both sides', () => {
    expect([relative(0, 500), relative(0, 59_000), relative(3_600_000, 0), relative(0, 172_800_000)]).toEqual([
      'now',
      '59 s ago',
      'in 1 h',
      '2 d ago',
    ]);
  });

  test('stand in the zone of the session, with the instant in UTC beside', async () => {
    const at = new Date('2026-07-01T22:30:00.000Z');
    expect(inZone(at, 'Europe/Berlin')).toBe('2026-07-02 00:30:00');
    const shown = await text(when(at, { zone: 'America/New_York', now: () => at.getTime() + 60_000 }));
    expect(shown).toContain('2026-07-01 18:30:00');
    expect(shown).toContain('2026-07-01T22:30:00.000Z');
    expect(shown).toContain('1 min ago');
  });

  test('that are none or cannot be read are no error', async () => {
    const session = { zone: 'UTC', now: () => 0 };
    expect(await text(when(undefined, session))).toContain('-');
    expect(await text(when(new Date(Number.NaN), session))).toContain('unreadable');
  });
});

describe('addresses', () => {
  test('stay paths of the console, whatever the data', () => {
    expect(href(['jobs', '../../x?y#z'])).toBe('/jobs/..%2F..%2Fx%3Fy%23z');
    expect(href(['jobs'], { type: 'a&b', limit: 3, group: undefined, tenant: '' })).toBe('/jobs?type=a%26b&limit=3');
    expect(new URL(href(['//evil.example']), 'http://127.0.0.1').host).toBe('127.0.0.1');
    expect(new URL(href(['', 'evil.example']), 'http://127.0.0.1').host).toBe('127.0.0.1');
  });

  test('of the next page keep the filter', async () => {
    const query = new URLSearchParams({ type: 'a', after: '1' });
    const shown = await text(pager('/jobs', query, 'x&y'));
    expect(shown).toContain('href="/jobs?type=a"');
    expect(shown).toContain('href="/jobs?type=a&amp;after=x%26y"');
    expect(await text(pager('/jobs', new URLSearchParams(), undefined))).toBe('');
  });
});

describe('commands', () => {
  test.each([
    [['explain', '019a-b'], 'explain 019a-b'],
    [['x', ''], "x ''"],
    [['x', '$(rm -rf /)'], "x '$(rm -rf /)'"],
    [['x', "it's"], String.raw`x 'it'\''s'`],
    [['x', 'a;b|c\n&'], "x 'a;b|c\n&'"],
  ])('%j is one word each for a shell', (words, line) => expect(shellLine(words)).toBe(line));
});

describe('a table', () => {
  test('escapes what it shows, in texts and in attributes', async () => {
    const rows = [{ cells: [HOSTILE, undefined, 0], href: href([HOSTILE]), select: HOSTILE }];
    const shown = await text(
      table({
        id: 't',
        caption: HOSTILE,
        columns: [{ label: HOSTILE }, { label: 'b' }, { label: 'c', kind: 'number' }],
        rows,
        empty: HOSTILE as never,
      }),
    );
    expect(shown).not.toContain('<script>');
    expect(shown).not.toContain(HOSTILE);
    expect(shown).toMatch(/>\s*0\s*</);
  });
});

describe('a button', () => {
  const session = { write: true, place: { name: `prod ${HOSTILE}`, production: true } };

  test('carries its body as data, and what must be typed in production only for many jobs', async () => {
    const one = await text(actionButton(session, { label: 'Cancel', action: 'cancel', body: { id: HOSTILE } }));
    expect(one).not.toContain(HOSTILE);
    expect(one).toContain('data-typed=""');
    expect(await text(actionButton(session, { label: 'All', action: 'bulk', bulk: true }))).toContain('data-typed="prod ');
    expect(
      await text(actionButton({ ...session, place: { name: 'local', production: false } }, { label: 'All', action: 'bulk', bulk: true })),
    ).toContain('data-typed=""');
  });

  test('of a read-only console says how to get it, and sends nothing', async () => {
    const shown = await text(actionButton({ ...session, write: false }, { label: 'Cancel', action: 'cancel' }));
    expect(shown).toContain('disabled');
    expect(shown).toContain('--write');
    expect(shown).not.toContain('data-action');
    expect(await text(actionForm({ ...session, write: false }, { action: 'suspend', label: 'Suspend' }, HOSTILE as never))).not.toContain(
      '<form',
    );
  });
});

describe('a chart', () => {
  test.each([
    [0, 4],
    [3, 4],
    [5, 6],
    [11, 20],
    [400, 400],
    [401, 600],
    [999, 1_000],
  ])('for values up to %d ends at %d', (value, top) => expect(niceTop(value)).toBe(top));

  test('draws nothing outside of itself, and no line over what was not measured', async () => {
    const parts = { title: HOSTILE, from: 0, stepMs: 60_000, zone: 'UTC' };
    const line = await text(
      lineChart({ ...parts, series: [{ label: HOSTILE, tone: 'busy', values: [1, 2, undefined, 4, undefined, 5, 6] }] }),
    );
    expect(line.match(/<polyline/g)).toHaveLength(2);
    expect(line.match(/<circle/g)).toHaveLength(1);
    const bars = await text(
      barChart({
        ...parts,
        series: [
          { label: 'a', tone: 'good', values: [1, 0, 3] },
          { label: 'b', tone: 'bad', values: [3, 0, undefined] },
        ],
      }),
    );
    expect(bars.match(/class="series-(good|bad)"\s+stroke="none"/g)).toHaveLength(3);
    for (const shown of [line, bars]) {
      expect(shown).not.toMatch(/NaN|Infinity|<script>| (y|height)="-/);
      expect(shown).not.toContain(HOSTILE);
    }
  });

  test('leaves room for the longest label of its axis', async () => {
    const delays = { label: 'slowest', tone: 'busy', values: [3_900_000, 380_000] } as const;
    const svg = await text(lineChart({ title: 't', from: 0, stepMs: 60_000, zone: 'UTC', series: [delays], format: duration }));
    const labels = [...svg.matchAll(/<text x="(\d+)"[^>]*text-anchor="end">([^<]*)</g)];
    expect(labels).toHaveLength(5);
    expect(labels.map(([, , label]) => label)).toContain('1 h 6 min');
    for (const [, x, label = ''] of labels) expect(Number(x)).toBeGreaterThanOrEqual(8 * label.length);
  });

  test('without a bucket is still one', async () => {
    expect(await text(barChart({ title: 't', from: 0, stepMs: 1, zone: 'UTC', series: [] }))).not.toContain('NaN');
  });

  test('sums minutes up where they belong, and shows the worst delay of a bucket', () => {
    const minute = (at: number, p95?: number) => ({
      at: new Date(at),
      started: 1,
      completed: 2,
      retried: 1,
      dead: 0,
      cancelled: 0,
      expired: 1,
      skipped: 2,
      snoozed: 0,
      crashed: 0,
      fired: 0,
      ...(p95 === undefined ? {} : { delayMs: { p50: 1, p95, max: p95 } }),
    });
    const now = 10 * 60_000 + 1;
    const given = [minute(-60_000), minute(0, 5), minute(4 * 60_000, 9), minute(5 * 60_000), minute(10 * 60_000, 7)];
    const { from, buckets } = bucketsOf(given, { now, stepMs: 5 * 60_000, count: 3 });
    expect(from).toBe(0);
    expect(buckets).toEqual([
      { completed: 4, retried: 2, dead: 0, expired: 2, skipped: 4, p50: 1, p95: 9 },
      { completed: 2, retried: 1, dead: 0, expired: 1, skipped: 2 },
      { completed: 2, retried: 1, dead: 0, expired: 1, skipped: 2, p50: 1, p95: 7 },
    ]);
  });
});

describe('a scope', () => {
  test.each(['all', 'type#a.b', 'type#a.b@films', 'tenant#acme', 'group#a#b@c', 'batch#x'])('%s is read back from its text', (scope) => {
    const read = scopeOf(scope);
    const [kind, name] = typeof read === 'object' ? (Object.entries(read)[0] ?? []) : [read, undefined];
    const worker = typeof read === 'object' && 'worker' in read ? `@${read.worker}` : '';
    expect(name === undefined ? kind : `${kind}#${name}${worker}`).toBe(scope);
  });

  test.each(['', 'type#', 'job#x', 'no-handler#x', 'breakpoint'])('%j is none', (given) => expect(scopeOf(given)).toBeUndefined());

  test('has words', () => expect([scopeWords('all'), scopeWords('type#a.b')]).toEqual(['everything', 'type a.b']));
});

describe('what is remembered', () => {
  test('is asked for once within its time, for each owner and key, and not kept when it failed', async () => {
    const owner = {};
    let asked = 0;
    const ask = async (now: number, key = 'k', of: object = owner) => remembered({ owner: of, key, ttlMs: 10, now }, async () => ++asked);
    expect([await ask(0), await ask(9), await ask(10), await ask(11, 'other'), await ask(11, 'k', {})]).toEqual([1, 1, 2, 3, 4]);
    const fail = async () =>
      remembered({ owner, key: 'bad', ttlMs: 10, now: 0 }, async () => Promise.reject(new Error(`failed ${++asked}`)));
    await expect(fail()).rejects.toThrow('failed 5');
    await expect(fail()).rejects.toThrow('failed 6');
  });
});
