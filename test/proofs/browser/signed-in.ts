import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type EveryState, jobsInEveryState } from '../../console/jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { FIGURES_FOLDER } from '../../support/figures.ts';
import { launchChromium } from './chromium.ts';
import { CLOSING_MS, type WatchedPage, watchedPage, within } from './watched-page.ts';

/** Where pictures of pages go. */
export const PICTURES = join(FIGURES_FOLDER, 'console');

/** A console over jobs in every state, and a page of it that is signed in. */
export interface SignedIn {
  readonly browser: Browser;
  readonly jobs: EveryState;
  readonly opened: OpenConsole;
  readonly watched: WatchedPage;
  readonly page: Page;
}

/** Gives each test of a file one with this many dead letters, in one browser. */
export function signedInEach(dead: number, begin: (stage: SignedIn) => void): void {
  let browser: Browser;
  let stage: SignedIn;
  beforeAll(async () => {
    browser = await launchChromium();
    await mkdir(PICTURES, { recursive: true });
  });
  afterAll(async () => browser?.close());
  beforeEach(async () => {
    stage = await signIn(browser, dead);
    begin(stage);
  });
  afterEach(async () => leave(stage));
}

async function signIn(browser: Browser, dead: number): Promise<SignedIn> {
  const jobs = await jobsInEveryState(dead);
  const opened = await openConsole({ admin: jobs.admin, now: () => jobs.kit.clock.now() });
  const watched = await watchedPage(browser, opened.newLink());
  return { browser, jobs, opened, watched, page: watched.page };
}

/** Closes it. Throws when anything happened that never must, in the browser or in the server. */
async function leave({ jobs, opened, watched }: SignedIn): Promise<void> {
  const wrong = [...watched.troubles, ...opened.problems];
  await watched.close();
  await within(CLOSING_MS, opened.close());
  await jobs.release();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
