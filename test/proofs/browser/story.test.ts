import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchChromium } from './chromium.ts';
import { watchedPage } from './watched-page.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const LINK = /http:\/\/127\.0\.0\.1:\d+\/login#\S+/u;

let browser: Browser;
let local: ChildProcess;
let printed = '';

beforeAll(async () => {
  browser = await launchChromium();
  local = spawn(process.execPath, [join(ROOT, 'local', 'start.ts'), '--rate', '3'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [local.stdout, local.stderr]) stream?.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
});
afterAll(async () => {
  await browser?.close();
  const ended = new Promise((resolve) => local.once('exit', resolve));
  local.kill('SIGINT');
  await ended;
});

/** Opens a list until it has a first entry, and follows that. */
async function openFirst(page: Page, list: string, link: string): Promise<void> {
  await expect
    .poll(
      async () => {
        await page.goto(list);
        return page.locator(link).count();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBeGreaterThan(0);
  const target = await page.locator(link).first().getAttribute('href');
  await page.goto(new URL(target ?? '', list).href);
}

it('a dead letter of the example is found, explained, edited, redriven and seen completed', async () => {
  await expect.poll(() => LINK.test(printed), { timeout: 60_000 }).toBe(true);
  const link = LINK.exec(printed)?.[0] ?? '';
  const watched = await watchedPage(browser, link);
  const { page, troubles } = watched;
  const origin = new URL(link).origin;

  // An order that can be invoiced: its reminder says which, as long as it waits.
  let orderId: string | undefined;
  await expect
    .poll(
      async () => {
        await openFirst(page, `${origin}/jobs?type=payment.reminder&state=waiting`, 'table a[href^="/jobs/"]');
        orderId = /"orderId": "([^"]+)"/u.exec((await page.getByLabel('Payload', { exact: true }).first().textContent()) ?? '')?.[1];
        return orderId;
      },
      { timeout: 60_000 },
    )
    .toBeDefined();

  await openFirst(page, `${origin}/dead-letters?type=invoice.render`, 'table a[href^="/dead-letters/"]');
  await page.getByText('cannot be invoiced').first().waitFor();
  await openFirst(page, page.url(), 'table a[href^="/jobs/"]');
  await page
    .getByText(/dead letter/iu)
    .first()
    .waitFor();
  await page.getByText('Edit and redrive', { exact: true }).click();
  await page.locator('textarea[name=payload]').fill(JSON.stringify({ orderId }));
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await page.locator('.job-head', { hasText: 'finished' }).waitFor({ timeout: 60_000 });
  await page.getByText('completed').first().waitFor();
  expect(troubles).toEqual([]);
  await watched.close();
});
