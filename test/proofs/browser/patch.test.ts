import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PICTURES, signedInEach, type SignedIn } from './signed-in.ts';

let stage: SignedIn;
let page: Page;
signedInEach(9, (fresh) => {
  stage = fresh;
  ({ page } = fresh);
});

const payloadOf = async (id: string): Promise<unknown> => JSON.parse((await stage.jobs.admin.find(id))?.payload ?? '{}');

it('patches the payload of a dead letter and redrives it if the box is ticked', async () => {
  const id = stage.jobs.ids.dead;
  await page.goto(`${stage.opened.origin}/jobs/${id}`);
  await page.getByRole('button', { name: 'Patch payload…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[name=patch]').fill('{"fault":null,"note":"checked"}');
  await dialog.locator('[name=redrive]').check();
  await dialog.getByRole('button', { name: 'Patch payload', exact: true }).click();
  await expect.poll(async () => (await stage.jobs.admin.find(id))?.state).toBe('ready');
  expect(await payloadOf(id)).toMatchObject({ note: 'checked' });
  expect(await payloadOf(id)).not.toHaveProperty('fault');
});

it('shows one job of many before and after, until the patch is changed, and then patches all of them', async () => {
  await page.goto(`${stage.opened.origin}/jobs?state=dead`);
  await page.getByText('Act on everything that matches', { exact: true }).click();
  await page.locator('#all-actions').getByRole('button', { name: 'Patch payload…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Patch payload: 9 jobs.').waitFor();
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.locator('.preview .said-bad').waitFor();
  await dialog.locator('[name=patch]').fill('{"note":"checked"}');
  await dialog.getByRole('button', { name: 'Preview' }).click();
  await dialog.getByLabel('After').waitFor();
  expect(await dialog.getByLabel('Before').textContent()).not.toContain('checked');
  expect(await dialog.getByLabel('After').textContent()).toContain('"note": "checked"');
  await dialog.screenshot({ path: `${PICTURES}/patch-preview.png` });
  await dialog.locator('[name=patch]').fill('{"note":"checked twice"}');
  expect(await dialog.getByLabel('After').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Patch payload', exact: true }).click();
  await expect.poll(async () => payloadOf(stage.jobs.ids.dead)).toMatchObject({ note: 'checked twice' });
});
