import type { Browser, Page } from 'playwright-core';
import { type EveryState, jobsInEveryState } from '../../console/jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { CLOSING_MS, type WatchedPage, watchedPage, within } from './watched-page.ts';

/** A console over jobs in every state, and a page of it that is signed in. */
export interface SignedIn {
  readonly jobs: EveryState;
  readonly opened: OpenConsole;
  readonly watched: WatchedPage;
  readonly page: Page;
}

/** Opens one with so many dead letters. */
export async function signIn(browser: Browser, dead: number): Promise<SignedIn> {
  const jobs = await jobsInEveryState(dead);
  const opened = await openConsole({ admin: jobs.admin, now: () => jobs.kit.clock.now() });
  const watched = await watchedPage(browser, opened.newLink());
  return { jobs, opened, watched, page: watched.page };
}

/** Closes it. Throws when anything happened that never must, in the browser or in the server. */
export async function leave({ jobs, opened, watched }: SignedIn): Promise<void> {
  const wrong = [...watched.troubles, ...opened.problems];
  await watched.close();
  await within(CLOSING_MS, opened.close());
  await jobs.release();
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
