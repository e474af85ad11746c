import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../console/pages.ts';
import { fixedDeployment, NOW } from '../../console/fixed-deployment.ts';
import { type EveryState, jobsInEveryState } from '../../console/jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { FIGURES_FOLDER } from '../../support/figures.ts';
import { launchChromium } from './chromium.ts';
import { type Looks, type WatchedPage, watchedPage, WIDTHS } from './watched-page.ts';

/** Where the last run leaves what it saw, for whoever wants to look. */
const PICTURES = join(FIGURES_FOLDER, 'console');
const LOOKS: readonly Required<Looks>[] = [
  { width: WIDTHS.desk, scheme: 'light' },
  { width: WIDTHS.phone, scheme: 'dark' },
  { width: WIDTHS.desk, scheme: 'dark' },
  { width: WIDTHS.phone, scheme: 'light' },
];
/** Pages of the whole; the others are looked at over jobs that really lie there. */
const WHOLE = ['/', '/schedules', '/schedules/report.daily', '/suspensions', '/groups', '/limits', '/batches', '/workers', '/audit'];
const STATES = ['ready', 'running', 'waiting', 'parked', 'suspended', 'dead', 'finished'];

let browser: Browser;
let jobs: EveryState;
let overJobs: OpenConsole;
let overWhole: OpenConsole;
let empty: OpenConsole;
let jobPaths: readonly string[];

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true });
  browser = await launchChromium();
  jobs = await jobsInEveryState(60);
  const now = () => jobs.kit.clock.now();
  overJobs = await openConsole({ admin: jobs.admin, now });
  overWhole = await openConsole({ admin: fixedDeployment(), now: () => NOW, place: { name: '123456789012 eu-west-1', production: true } });
  empty = await openConsole({ admin: (await jobsInEveryState(0)).kit.admin, now, write: false });
  const { groups } = await jobs.admin.errorGroups();
  const bulk = await jobs.admin.bulk({ verb: 'set-priority', priority: 3 }, { state: 'waiting' });
  jobPaths = [
    ...STATES.map((state) => `/jobs?state=${state}`),
    ...Object.values(jobs.ids).map((id) => `/jobs/${id}`),
    '/jobs/019a8f3e-6f00-7abc-8def-0123456789ab',
    '/dead-letters',
    `/dead-letters/${groups[0]?.fingerprint}`,
    '/bulks',
    `/bulks/${bulk.id}`,
    '/find?q=nothing-of-this-kind',
    '/no-such-page',
  ];
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([overJobs, overWhole, empty].map(async (one) => one?.close()));
  await jobs?.release();
});

/** What is wrong with a page as it is shown: whom it shuts out, and whether it scrolls sideways. */
async function faults({ page }: WatchedPage): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<{ readonly wide: number; readonly rules: readonly string[] }>(`(async () => {
    const { violations } = await axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] });
    const { scrollWidth, clientWidth } = document.scrollingElement;
    return { wide: scrollWidth - clientWidth, rules: violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')) };
  })()`);
  return [...found.rules, ...(found.wide > 0 ? [`scrolls sideways by ${found.wide} px`] : [])];
}

/** What is wrong with the pages, by path. */
async function wrongOf(
  opened: OpenConsole,
  paths: readonly string[],
  name: string,
  looks: Required<Looks>,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const watched = await watchedPage(browser, opened.newLink(), looks);
  const wrong: Record<string, readonly string[]> = {};
  for (const [index, path] of paths.entries()) {
    await watched.page.goto(`${opened.origin}${path}`, { waitUntil: 'load' });
    const some = await faults(watched);
    if (some.length > 0) wrong[path] = some;
    const file = `${name}-${String(index).padStart(2, '0')}-${path.split('?')[0]?.split('/')[1] || 'overview'}-${looks.width}-${looks.scheme}.png`;
    await watched.page.screenshot({ path: join(PICTURES, file), fullPage: true });
  }
  if (watched.troubles.length > 0) wrong['troubles'] = watched.troubles;
  await watched.close();
  return wrong;
}

describe.each(LOOKS)('at $width px and $scheme, no page scrolls sideways, shuts anybody out or breaks its policy', (looks) => {
  it('of the whole', async () => expect(await wrongOf(overWhole, WHOLE, 'whole', looks)).toEqual({}));
  it('of jobs, dead letters and bulk actions', async () => expect(await wrongOf(overJobs, jobPaths, 'jobs', looks)).toEqual({}));
  it('where there is nothing yet, and only looking is allowed', async () =>
    expect(await wrongOf(empty, [...WHOLE, '/jobs', '/dead-letters', '/bulks'], 'empty', looks)).toEqual({}));
});

it('looks at every page that there is', () => {
  const seen = [...WHOLE, ...jobPaths].map((path) => path.split('?')[0] ?? '');
  const missing = PAGES.filter(({ path }) => {
    const pattern = new RegExp(`^${path.replaceAll(/:[a-z]+/giu, '[^/]+')}$`, 'u');
    return !seen.some((one) => pattern.test(one));
  });
  expect(missing.map(({ path }) => path)).toEqual([]);
});
