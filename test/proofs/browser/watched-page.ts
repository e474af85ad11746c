import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';

/** Widths at which the console has to be readable. */
export const WIDTHS = { desk: 1280, phone: 390 } as const;

/** How a page is looked at. */
export interface Looks {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A guard against hanging, ten times what a slow machine needs. */
const PATIENCE_MS = 300_000;
/** A load that has not come by then came before it was waited for. */
const LOADING_MS = 20_000;
/** Pages not closed by then are closed with the browser; no test fails for that. */
export const CLOSING_MS = 20_000;

/** A browser page that records forbidden events. */
export interface WatchedPage {
  readonly page: Page;
  /** Dialogs, violations of the content security policy, errors of scripts, requests that leave the console. */
  readonly troubles: string[];
  close(): Promise<void>;
}

/** Opens the link of a console, signs in by it and watches from then on. */
export async function watchedPage(
  browser: Browser,
  link: string,
  { width = WIDTHS.desk, scheme = 'light' }: Looks = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const opened = await context.newPage();
  const page = goesAgain(opened, async () => within(LOADING_MS, opened.waitForEvent('load')));
  const troubles: string[] = [];
  const origin = new URL(link).origin;
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('pageerror', (error) => void troubles.push(`script: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('data:')) troubles.push(`request: ${url}`);
  });
  page.on('console', (message) => {
    const text = message.text();
    if (text.startsWith('violated ') || /content security policy/iu.test(text)) troubles.push(text);
  });
  await page.addInitScript({ path: join(import.meta.dirname, 'in-page.js') });
  await page.goto(link);
  await page.waitForURL(`${origin}/`);
  return { page, troubles, close: async () => within(CLOSING_MS, context.close()) };
}

/** How often one answer can get in the way: the page begins to load, and the next navigation meets that load. */
const MORE_TRIES = 3;

/**
 * Navigates again if the answer to a form's action, which loads the page again, broke the navigation off. `loaded` waits for that load:
 * without it, the next try may break the load off as well, and so on.
 */
export function goesAgain<Navigating extends Pick<Page, 'goto'>>(page: Navigating, loaded: () => Promise<unknown>): Navigating {
  const goto = page.goto.bind(page);
  return Object.assign(page, {
    goto: async (...[url, options]: Parameters<Page['goto']>) => {
      for (let tries = 0; ; tries++) {
        try {
          return await goto(url, options);
        } catch (error) {
          if (tries === MORE_TRIES || !/ERR_ABORTED|interrupted by another navigation/.test(String(error))) throw error;
          await loaded();
        }
      }
    },
  });
}

/** Resolves when the work ends, or after this many milliseconds. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, enough]);
  } finally {
    clearTimeout(timer);
  }
}

/** Elements and attributes of a page that run or load something other than our own files: a text must never become one. */
export async function foreignMarkup(page: Page): Promise<readonly string[]> {
  return page.evaluate('window.foreignMarkup()');
}
