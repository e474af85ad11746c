import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { EveryState } from '../../console/jobs-in-every-state.ts';
import type { OpenConsole } from '../../console/open-console.ts';
import { signedInEach } from './signed-in.ts';

let jobs: EveryState;
let opened: OpenConsole;
let page: Page;
signedInEach(3, (stage) => ({ jobs, opened, page } = stage));

const textarea = () => page.locator('textarea[name=payload]');
const openEdit = async (id: string): Promise<void> => {
  await page.goto(`${opened.origin}/jobs/${id}`);
  await page.locator('#edit-payload summary').click();
};

it('keeps the revision that an edit was made from, although the page was on its way when the typing began', async () => {
  const id = jobs.ids.dead;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await openEdit(id);
  const before = await page.locator('form[data-action=redrive-with-payload]').getAttribute('data-body');
  let asked: () => void = () => undefined;
  const fetched = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await page.route(`**/jobs/${id}`, async (route) => {
    const answer = await route.fetch();
    asked();
    await held;
    await route.fulfill({ response: answer });
  });
  await page.locator('h1').hover();
  await jobs.admin.editPayload(id, { to: 'somebody else' });
  await page.locator('h1').click();
  await fetched;
  await textarea().fill('{"to":"mine"}');
  release();
  await page.waitForTimeout(500);
  expect(await page.locator('form[data-action=redrive-with-payload]').getAttribute('data-body')).toBe(before);
  await page.unroute(`**/jobs/${id}`);
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await page
    .locator('#toasts .notice', { hasText: /changed meanwhile/u })
    .first()
    .waitFor();
  expect(await jobs.admin.find(id)).toMatchObject({ state: 'dead', payload: '{"to":"somebody else"}' });
  // After the warning, the user may send it again.
  await page.locator('pre[aria-label=Payload]', { hasText: 'somebody else' }).waitFor();
  expect(await textarea().inputValue()).toBe('{"to":"mine"}');
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await expect.poll(async () => (await jobs.admin.find(id))?.state).toBe('ready');
});

it('shows which lines an edit takes out and puts in before it is sent', async () => {
  await openEdit(jobs.ids.dead);
  const changes = page.getByLabel('Changed lines');
  expect(await changes.isVisible()).toBe(false);
  const before = await textarea().inputValue();
  const [line = ''] = before.split('\n').filter((one) => one.includes(':'));
  await textarea().fill(before.replace(line, '  "to": 5'));
  expect(await changes.textContent()).toBe(`- ${line}\n+   "to": 5`);
  await textarea().fill(before);
  expect(await changes.isVisible()).toBe(false);
});

it('keeps an edit that is open when another action succeeds', async () => {
  const id = jobs.ids.waiting;
  await openEdit(id);
  await textarea().fill('{"typed":"for long"}');
  await page.getByRole('button', { name: 'Set priority…', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[name=priority]').fill('7');
  await dialog.getByRole('button', { name: 'Set priority', exact: true }).click();
  await page.locator('#toasts .notice', { hasText: 'Its priority is 7.' }).waitFor();
  expect(await textarea().inputValue()).toBe('{"typed":"for long"}');
});

it('says as long as it is so that the page is old, and that the browser is not known any more', async () => {
  await page.goto(`${opened.origin}/suspensions`);
  await page.locator('h1').click();
  await page.route('**/suspensions', async (route) => route.abort());
  const banner = page.locator('#stale');
  await banner.waitFor();
  await page.waitForTimeout(9_000);
  expect(await banner.textContent()).toMatch(/does not answer.*What you see is from/su);
  await page.unroute('**/suspensions');
  await banner.waitFor({ state: 'detached' });
  await page.context().clearCookies();
  await page.locator('#stale', { hasText: 'open the link that its terminal printed' }).waitFor();
});
