import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptListOptions } from '../../operate/attempts/attempt-filter.ts';
import { fixedDeployment, NOW } from './fixed-deployment.ts';
import { type EveryState, jobsInEveryState } from './jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from './open-console.ts';
import { words } from './page-words.ts';

let jobs: EveryState;
let opened: OpenConsole;
const asked: AttemptListOptions[] = [];
let noting: OpenConsole;

beforeAll(async () => {
  jobs = await jobsInEveryState();
  opened = await openConsole({ admin: jobs.admin, now: () => jobs.kit.clock.now() });
  const fixed = fixedDeployment();
  noting = await openConsole({ admin: { ...fixed, attempts: async (options = {}) => (asked.push(options), fixed.attempts(options)) }, now: () => NOW }); // oxfmt-ignore
});
afterAll(async () => {
  await Promise.all([opened.close(), noting.close(), jobs.release()]);
});

async function page(path: string, from = opened): Promise<string> {
  const { status, text } = await from.get(path);
  expect(status).toBe(200);
  expect(from.problems).toEqual([]);
  return text;
}

describe('the page of attempts', () => {
  it('lists what executors recorded, with links to the job, its type, its error and the error group', async () => {
    const text = await page('/attempts?outcome=dead-lettered&type=mail.send');
    expect(text).toContain(`href="/jobs/${jobs.ids.dead}"`);
    expect(text).toContain('href="/attempts?type=mail.send"');
    expect(text).toMatch(/href="\/attempts\?fingerprint=[^"]+" title="All attempts with this error"/);
    expect(text).toMatch(/href="\/dead-letters\/[^"]+">group</);
    expect(words(text)).toContain('dead-lettered non-retryable');
    expect(words(text)).toMatch(/attempts on this page, newest first, of jobs first due from .* \(UTC\): [\d,]+ read units/);
    expect(text).not.toContain('completed</span>');
  });

  it('is reached from an error group, for the attempts that ended with its error on the day that it was last seen', async () => {
    const fingerprint =
      /href="\/attempts\?fingerprint=([^"&]+)"/.exec(await page('/attempts?outcome=dead-lettered&type=mail.send'))?.[1] ?? '';
    const group = await page(`/dead-letters/${fingerprint}`);
    const address = /href="(\/attempts\?fingerprint=[^"]+)">Attempts with this error</.exec(group)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const asked = new URL(address, 'http://console').searchParams;
    expect(asked.get('fingerprint')).toBe(fingerprint);
    expect(Date.parse(asked.get('to') ?? '') - Date.parse(asked.get('from') ?? '')).toBe(86_460_000);
    const listed = [...(await page(address)).matchAll(/href="\/attempts\?fingerprint=([^"]+)" title="All attempts/g)].map(([, one]) => one);
    expect(listed.length).toBeGreaterThan(1);
    expect(new Set(listed)).toEqual(new Set([fingerprint]));
  });

  it('is reached without times from an error group whose row does not exist yet', async () => {
    const fingerprint = 'f'.repeat(8);
    const admin = { ...jobs.admin, errorGroup: async () => undefined, list: async () => jobs.admin.list({ state: 'dead' }) };
    const bare = await openConsole({ admin, now: () => jobs.kit.clock.now() });
    expect(await page(`/dead-letters/${fingerprint}`, bare)).toContain(
      `href="/attempts?fingerprint=${fingerprint}">Attempts with this error<`,
    );
    await bare.close();
  });

  it('says what no attempt means, and where to look further', async () => {
    expect(words(await page('/attempts?type=none'))).toContain('No attempts. They are kept for types with the history level');
  });

  it('passes every field on, keeps it in the form, and has the command for it', async () => {
    asked.length = 0;
    const query =
      'type=a&worker=b&tenant=c&outcome=retried&reason=d&errorName=e&fingerprint=f&text=g&order=slowest-first&hasError=true' +
      '&from=2h&to=2026-03-28T11%3A00%3A00Z&dueFrom=3d&dueTo=1h&minRun=1.5&after=h';
    const text = await page(`/attempts?${query}`, noting);
    const hours = (count: number): Date => new Date(NOW - count * 3_600_000);
    expect(asked).toEqual([
      {
        type: 'a',
        worker: 'b',
        tenant: 'c',
        outcome: 'retried',
        reason: 'd',
        errorName: 'e',
        fingerprint: 'f',
        text: 'g',
        order: 'slowest-first',
        hasError: true,
        minRunMs: 1_500,
        after: 'h',
        limit: 50,
        maxReadUnits: 1_000,
        from: hours(2),
        to: hours(1),
        dueFrom: hours(72),
        dueTo: hours(1),
      },
    ]);
    expect(text).toContain('name="minRun" value="1.5"');
    expect(text).toContain('<option value="retried" selected');
    expect(text).toContain('<details id="more-filters" open');
    expect(text).toContain(
      'nightcrew attempts --type a --worker b --tenant c --outcome retried --of-reason d --error-name e --fingerprint f --text g --order slowest-first --from 2026-03-28T10:00:00.000Z',
    );
    expect(text).toContain('--with-error --min-run PT1.5S');
  });

  it('asks for nothing that it was not given', async () => {
    asked.length = 0;
    const text = await page('/attempts?type=&hasError=&from=&minRun=', noting);
    expect(asked).toEqual([{ limit: 50, maxReadUnits: 1_000 }]);
    expect(text).not.toContain('<details id="more-filters" open');
    expect(text).toContain('rel="next" href="/attempts?type=&amp;hasError=&amp;from=&amp;minRun=&amp;after=d-2"');
  });

  it.each(['minRun=fast', 'from=soon', 'outcome=lost', 'after=x'])('explains what it cannot read: %s', async (query) => {
    const text = words(await page(`/attempts?${query}`));
    expect(text).toContain('This list cannot be shown');
    expect(text).toContain(`${query.split('=')[0]}:`);
  });
});
