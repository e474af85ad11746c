import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGES } from '../../../console/pages.ts';
import { fixedDeployment, NOW } from '../../console/fixed-deployment.ts';
import { type EveryState, jobsInEveryState } from '../../console/jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { launchChromium } from './chromium.ts';
import { PICTURES } from './signed-in.ts';
import { type Looks, type WatchedPage, watchedPage, WIDTHS } from './watched-page.ts';

/** Each page is opened in these with every rule, and then seen in the other schemes. */
const LOOKS: readonly { readonly width: number; readonly schemes: readonly Required<Looks>['scheme'][] }[] = [
  { width: WIDTHS.desk, schemes: ['light', 'dark'] },
  { width: WIDTHS.phone, schemes: ['dark'] },
];
const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** What another scheme may break: it changes nothing but colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
/** Pages about the whole deployment; the others are checked over real jobs. */
const WHOLE = [
  '/',
  '/schedules',
  '/schedules/report.daily',
  '/suspensions',
  '/groups',
  '/limits',
  '/batches',
  '/workers',
  '/audit',
  '/attempts',
  '/statistics',
];
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
  const erasure = await jobs.admin.erase({ type: 'of.nothing' }, { apply: true, reason: 'to look at' });
  await jobs.admin.setRetention('all', 90, { reason: 'to look at' });
  const bulk = await jobs.admin.bulk({ verb: 'set-priority', priority: 3 }, { state: 'waiting' });
  jobPaths = [
    ...STATES.map((state) => `/jobs?state=${state}`),
    ...Object.values(jobs.ids).map((id) => `/jobs/${id}`),
    '/jobs/019a8f3e-6f00-7abc-8def-0123456789ab',
    '/dead-letters',
    `/dead-letters/${groups[0]?.fingerprint}`,
    '/attempts?order=slowest-first&hasError=true',
    '/bulks',
    `/bulks/${bulk.id}`,
    '/erasures?type=mail.send',
    `/erasures/${erasure.id}`,
    '/retention?type=mail.send&days=30',
    '/find?q=nothing-of-this-kind',
    '/find/key?key=nothing-of-this-kind',
    '/no-such-page',
  ];
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([overJobs, overWhole, empty].map(async (one) => one?.close()));
  await jobs?.release();
});

/** Faults of a rendered page: accessibility, and horizontal scrolling. */
async function faults({ page }: WatchedPage, rules: readonly string[]): Promise<readonly string[]> {
  const found = await page.evaluate<{ readonly wide: number; readonly rules: readonly string[] }>(`(async () => {
    const { violations } = await axe.run(document, { runOnly: ${JSON.stringify(rules)} });
    const { scrollWidth, clientWidth } = document.scrollingElement;
    return { wide: scrollWidth - clientWidth, rules: violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')) };
  })()`);
  return [...found.rules, ...(found.wide > 0 ? [`scrolls sideways by ${found.wide} px`] : [])];
}

/** Faults of the pages, by path. */
async function wrongOf(
  opened: OpenConsole,
  paths: readonly string[],
  name: string,
  { width, schemes: [first, ...others] }: (typeof LOOKS)[number],
): Promise<Readonly<Record<string, readonly string[]>>> {
  const scheme = first ?? 'light';
  const watched = await watchedPage(browser, opened.newLink(), { width, scheme });
  const wrong: Record<string, readonly string[]> = {};
  const look = async (path: string, index: number, colours: typeof scheme): Promise<void> => {
    const some = await faults(watched, colours === scheme ? ALL_RULES : RULES_OF_COLOURS);
    if (some.length > 0) wrong[`${path} ${colours}`] = some;
    const file = `${name}-${String(index).padStart(2, '0')}-${path.split('?')[0]?.split('/')[1] || 'overview'}-${width}-${colours}.png`;
    await watched.page.screenshot({ path: join(PICTURES, file), fullPage: true });
  };
  for (const [index, path] of paths.entries()) {
    await watched.page.emulateMedia({ colorScheme: scheme });
    await watched.page.goto(`${opened.origin}${path}`, { waitUntil: 'load' });
    await watched.page.evaluate(axe.source);
    await look(path, index, scheme);
    for (const other of others) {
      await watched.page.emulateMedia({ colorScheme: other });
      await look(path, index, other);
    }
  }
  if (watched.troubles.length > 0) wrong['troubles'] = watched.troubles;
  await watched.close();
  return wrong;
}

describe.each(LOOKS)('at $width px, $schemes, no page scrolls sideways, shuts anybody out or breaks its policy', (looks) => {
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
