import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Admin } from '../../operate/index.ts';
import { COUNTS, type Counted } from '../../shared/features/statistics/model/statistics.ts';
import { fixedDeployment, NOW } from './fixed-deployment.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { words } from './page-words.ts';

const asked: unknown[] = [];
let opened: OpenConsole;
beforeAll(async () => {
  const fixed = fixedDeployment();
  const statisticsBy: Admin['statisticsBy'] = async (...given) => (asked.push(given), fixed.statisticsBy(...given));
  opened = await openConsole({ admin: { ...fixed, statisticsBy }, now: () => NOW });
});
afterAll(async () => opened.close());

const hours = (count: number): Date => new Date(NOW - count * 3_600_000);

describe('the page of statistics', () => {
  it('shows the last hour by type, with links to the jobs, the attempts and the dead letters of each', async () => {
    const { text } = await opened.get('/statistics');
    expect(asked.splice(0)).toEqual([['type', { from: hours(1), to: hours(0) }]]);
    expect(words(text)).toMatch(/invoice\.render 12,345 12,000 300 45 1\.2 s jobs attempts dead /);
    expect(words(text)).toMatch(/others, which had no place in a minute 9 8 0 1 30 ms/);
    for (const path of ['/jobs?type=invoice.render', '/attempts?type=invoice.render', '/jobs?type=invoice.render&amp;state=dead'])
      expect(text).toContain(`href="${path}"`);
    expect(text).toContain('nightcrew stats types --from 1h');
  });

  it('shows tenants and longer times where they are asked for, and takes anything else as the default', async () => {
    const { text } = await opened.get('/statistics?by=tenant&last=week');
    expect(asked.splice(0)).toEqual([['tenant', { from: hours(168), to: hours(0) }]]);
    expect(text).toContain('href="/jobs?tenant=acme"');
    expect(text).toContain('nightcrew stats tenants --from 168h');
    expect(text).toMatch(/href="\/statistics\?by=tenant&amp;last=week" aria-current="page"/);
    expect((await opened.get('/statistics?by=worker&last=year')).text).toContain('Jobs of the last hour by type');
  });
});

describe('the chart of the overview', () => {
  it('counts jobs that expired and occurrences that were skipped, where there are some', async () => {
    expect((await opened.get('/')).text).not.toMatch(/>(expired|skipped) \d/);
    const none = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Record<Counted, number>;
    const statistics = async () => Promise.resolve([{ ...none, at: new Date(NOW - 60_000), expired: 3, skipped: 4 }]);
    const own = await openConsole({ admin: fixedDeployment({ statistics }), now: () => NOW });
    const { text } = await own.get('/');
    await own.close();
    expect(text).toMatch(/>expired 3<[^]*>skipped 4</);
    expect(text).not.toContain('Nothing ran.');
  });
});
