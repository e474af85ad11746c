import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { type EveryState, HOSTILE } from '../../console/jobs-in-every-state.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { PICTURES, signedInEach } from './signed-in.ts';
import { watchedPage } from './watched-page.ts';

let jobs: EveryState;
let opened: OpenConsole;
let page: Page;
let browser: Browser;
signedInEach(9, (stage) => ({ jobs, opened, page, browser } = stage));

const to = async (path: string): Promise<unknown> => page.goto(`${opened.origin}${path}`);
const said = async (text: RegExp): Promise<void> => page.locator('#toasts .notice', { hasText: text }).first().waitFor();

/** Presses a button, fills in its dialog and submits it. */
async function press(label: string, fields: Readonly<Record<string, string>> = {}): Promise<void> {
  await page
    .getByRole('button', { name: `${label}…`, exact: true })
    .first()
    .click();
  const dialog = page.getByRole('dialog');
  for (const [name, value] of Object.entries(fields)) await dialog.locator(`[name="${name}"]`).fill(value);
  await dialog.getByRole('button', { name: label, exact: true }).click();
}

it.each([
  ['Redrive', 'dead', {}, { state: 'ready' }],
  ['Set retries', 'dead', { retries: '2' }, { state: 'ready' }],
  ['Run now', 'stopped', { reason: 'asked for' }, { state: 'ready', runNow: true }],
  ['Run now', 'waiting', {}, { state: 'ready', runNow: true }],
  ['Resume', 'stopped', {}, { state: 'waiting' }],
  ['Stop it here', 'waiting', { reason: 'look first' }, { state: 'suspended', cause: 'breakpoint', reason: 'look first' }],
  ['Set due date', 'waiting', { at: '3d' }, { state: 'waiting' }],
  ['Set priority', 'waiting', { priority: '7' }, { state: 'waiting', priority: 7 }],
  ['Change tenant', 'dead', { tenant: 'globex' }, { state: 'dead', tenant: 'globex' }],
  ['Cancel', 'waiting', { reason: 'not needed' }, { state: 'finished', outcome: 'cancelled' }],
  ['Cancel', 'running', {}, { state: 'running', cancelRequested: true }],
] as const)('%s does it to a %s job', async (label, which, fields, expected) => {
  const id = jobs.ids[which];
  await to(`/jobs/${id}`);
  await press(label, fields);
  await expect.poll(async () => jobs.admin.find(id)).toMatchObject(expected);
});

it('deletes a dead letter, and says that it is gone', async () => {
  const id = jobs.ids.dead;
  await to(`/jobs/${id}`);
  await press('Delete', { reason: 'a test of ours' });
  await expect.poll(async () => jobs.admin.find(id)).toBeUndefined();
  expect((await jobs.admin.audit({ limit: 1 }))[0]).toMatchObject({ verb: 'delete', actor: 'anna', jobId: id, reason: 'a test of ours' });
});

it('edits the payload of a dead letter and redrives it', async () => {
  const id = jobs.ids.dead;
  await to(`/jobs/${id}`);
  await page.getByText('Edit and redrive', { exact: true }).click();
  await page.locator('textarea[name=payload]').fill('{"to":"b@example.org","n":12.5}');
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await expect.poll(async () => (await jobs.admin.find(id))?.state).toBe('ready');
  expect(JSON.parse((await jobs.admin.find(id))?.payload ?? '')).toEqual({ to: 'b@example.org', n: 12.5 });
});

it('refuses a number that would come out as another one', async () => {
  await to(`/jobs/${jobs.ids.dead}`);
  await page.getByText('Edit and redrive', { exact: true }).click();
  await page.locator('textarea[name=payload]').fill('{"n":12345678901234567890}');
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await said(/does not survive as a JavaScript number/u);
  expect((await jobs.admin.find(jobs.ids.dead))?.state).toBe('dead');
});

it('refuses a payload that is no JSON, and keeps what was typed', async () => {
  await to(`/jobs/${jobs.ids.dead}`);
  await page.getByText('Edit and redrive', { exact: true }).click();
  await page.locator('textarea[name=payload]').fill('{"to":');
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await said(/payload/iu);
  expect(await page.locator('textarea[name=payload]').inputValue()).toBe('{"to":');
  expect((await jobs.admin.find(jobs.ids.dead))?.state).toBe('dead');
});

it('does not write over a job that changed since the page was shown', async () => {
  const id = jobs.ids.dead;
  await to(`/jobs/${id}`);
  await page.getByText('Edit and redrive', { exact: true }).click();
  await jobs.admin.editPayload(id, { to: 'somebody else was faster' });
  await page.locator('textarea[name=payload]').fill('{"to":"late"}');
  await page.getByRole('button', { name: 'Redrive with this payload' }).click();
  await said(/changed meanwhile/u);
  expect(await jobs.admin.find(id)).toMatchObject({ state: 'dead', payload: expect.stringContaining('faster') as string });
});

it('shows the exact count before it redrives everything of an error group, and then how far it is', async () => {
  const { groups } = await jobs.admin.errorGroups();
  const group = groups.toSorted((a, b) => b.open - a.open)[0];
  expect(group?.open).toBeGreaterThan(2);
  await to(`/dead-letters/${group?.fingerprint}`);
  await page.getByRole('button', { name: 'Redrive…', exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(`${group?.open}`).first().waitFor();
  await dialog.getByRole('button', { name: 'Redrive', exact: true }).click();
  await page.waitForURL(/\/bulks\//u);
  await page.getByText('done', { exact: false }).first().waitFor();
  await expect.poll(async () => (await jobs.admin.errorGroup(group?.fingerprint ?? ''))?.open).toBe(0);
});

it('acts on the rows that were chosen and on no other', async () => {
  await to('/jobs?state=dead');
  const boxes = page.locator('[data-select]');
  const chosen = [await boxes.nth(0).getAttribute('value'), await boxes.nth(1).getAttribute('value')];
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByText('Act on the chosen rows').click();
  await page.locator('#chosen-actions').getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/\b2\b/u).first().waitFor();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(async () => (await jobs.admin.count({ state: 'dead' })).total).toBe(7);
  for (const id of chosen) expect(await jobs.admin.find(String(id))).toBeUndefined();
});

it('asks for the name of the place before many jobs are touched in production', async () => {
  const production = await openConsole({ admin: jobs.admin, place: { name: '123456789012 eu-west-1', production: true } });
  const there = await watchedPage(browser, production.newLink());
  await there.page.goto(`${production.origin}/jobs?state=dead`);
  await there.page.getByText('Act on everything that matches').click();
  await there.page.locator('#all-actions').getByRole('button', { name: 'Delete…' }).click();
  const dialog = there.page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: 'Delete', exact: true });
  await dialog.getByText(/\b9\b/u).first().waitFor();
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByLabel(/This is production/u).fill('123456789012 eu-west-2');
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByLabel(/This is production/u).fill('123456789012 eu-west-1');
  await send.click();
  await expect.poll(async () => (await jobs.admin.count({ state: 'dead' })).total).toBe(0);
  await there.close();
  await production.close();
});

it('gives a batch whose name is markup another tenant', async () => {
  const { id } = await jobs.kit.client.createBatch({ name: HOSTILE, tenant: HOSTILE });
  await to('/batches');
  await press('Change tenant', { tenant: 'globex', reason: HOSTILE });
  await said(/belongs to tenant globex now/u);
  expect(await jobs.admin.batch(id)).toMatchObject({ tenant: 'globex' });
  await to('/batches');
  await press('Change tenant', { tenant: HOSTILE });
  await expect.poll(async () => (await jobs.admin.batch(id))?.tenant).toBe(HOSTILE);
});

it('sets the number of a limit and clears it', async () => {
  const set = async () => (await jobs.admin.limitNumbers()).filter((one) => one.set !== undefined);
  await to('/limits');
  await press('Set another', { limit: 'studio', n: '0', reason: 'the crane is broken' });
  await expect.poll(set).toMatchObject([{ limit: 'studio', n: 0, set: { actor: 'anna', reason: 'the crane is broken' } }]);
  await said(/Set: studio to 0/u);
  await to('/limits');
  await press('Change', { n: '3' });
  await expect.poll(set).toMatchObject([{ limit: 'studio', n: 3 }]);
  await to('/limits');
  await press('Clear', { reason: 'repaired' });
  await expect.poll(set).toEqual([]);
  expect((await jobs.admin.audit({ limit: 1 }))[0]).toMatchObject({ verb: 'clearLimit', actor: 'anna', reason: 'repaired' });
});

it('overrides the priority of a type and the default of a tenant, changes one and clears it', async () => {
  const set = async () => jobs.admin.priorities();
  const dialog = page.getByRole('dialog');
  await to('/workers');
  const type = page.locator('#types tr', { hasText: 'mail.send' });
  await type.getByRole('button', { name: 'Override priority…' }).click();
  await dialog.locator('[name="priority"]').fill('20');
  await dialog.locator('[name="reason"]').fill('quarter end');
  await dialog.getByRole('button', { name: 'Override priority', exact: true }).click();
  await expect.poll(set).toMatchObject([{ scope: 'type#mail.send', priority: 20, actor: 'anna', cascade: false }]);
  await said(/^Set: type mail\.send to 20/u);
  const why = { verb: 'overridePriority', actor: 'anna', reason: 'quarter end' };
  expect(await jobs.admin.audit()).toContainEqual(expect.objectContaining(why));
  await to('/workers');
  await page.getByRole('button', { name: 'Override a tenant…', exact: true }).click();
  await dialog.locator('[name="tenant"]').fill(HOSTILE);
  await dialog.locator('[name="priority"]').fill('-5');
  await dialog.locator('[name="default"]').check();
  await page.screenshot({ path: join(PICTURES, 'priority-dialog.png') });
  await dialog.getByRole('button', { name: 'Override a tenant', exact: true }).click();
  await expect.poll(set).toMatchObject([{ scope: `tenant#${HOSTILE}`, priority: -5, default: true }, { scope: 'type#mail.send' }]);
  await to('/workers');
  await page.screenshot({ path: join(PICTURES, 'priorities.png'), fullPage: true });
  const row = page.locator('#priorities tr', { hasText: 'mail.send' });
  await row.getByRole('button', { name: 'Clear…' }).click();
  await jobs.admin.clearPriority({ type: 'mail.send' });
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click();
  await dialog.getByText('No such priority is set for type mail.send any more.').waitFor();
  await dialog.getByRole('button', { name: 'Back' }).click();
  await to('/workers');
  await press('Change', { priority: '7' });
  await expect.poll(set).toMatchObject([{ scope: `tenant#${HOSTILE}`, priority: 7, default: true }]);
  await to('/workers');
  await press('Clear', { reason: 'over' });
  await expect.poll(set).toEqual([]);
  expect(await jobs.admin.audit()).toContainEqual(expect.objectContaining({ verb: 'clearPriority', actor: 'anna', reason: 'over' }));
});

it('suspends a tenant and resumes it', async () => {
  await to('/suspensions');
  const form = page.locator('form[data-action=suspend]');
  await form.locator('[name=kind]').selectOption('tenant');
  await form.locator('[name=name]').fill('globex');
  await form.locator('[name=reason]').fill('asked us to wait');
  await form.getByRole('button', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click();
  await expect.poll(async () => jobs.admin.suspensions()).toContainEqual(expect.objectContaining({ scope: 'tenant#globex' }));
  await said(/^Suspended/u); // by the page that the answer loaded again
  const row = page.locator('tr', { hasText: 'globex' });
  await row.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click();
  await expect.poll(async () => (await jobs.admin.suspensions()).some(({ scope }) => scope === 'tenant#globex')).toBe(false);
});

it('offers nothing that writes when it was started to look on', async () => {
  const looking = await openConsole({ admin: jobs.admin, write: false });
  const there = await watchedPage(browser, looking.newLink());
  for (const path of [`/jobs/${jobs.ids.dead}`, '/jobs?state=dead', '/suspensions', '/dead-letters']) {
    await there.page.goto(`${looking.origin}${path}`);
    expect(await there.page.locator('button[data-action]:not([disabled]), form[data-action]').count()).toBe(0);
  }
  const answer = await looking.act('delete', { id: jobs.ids.dead });
  expect(answer).toMatchObject({ status: 403, ok: false });
  await there.close();
  await looking.close();
});

it('goes where the keys say', async () => {
  await to('/');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.waitForURL(/\/dead-letters$/u);
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.waitForURL(`${opened.origin}/`);
  await page.keyboard.press('/');
  await page.keyboard.type(jobs.ids.dead);
  await page.keyboard.press('Enter');
  await page.waitForURL(`${opened.origin}/jobs/${jobs.ids.dead}`);
  expect(await page.locator('.job-head').textContent()).toContain('dead');
});

it('refreshes a page that is looked at, and stops while it is paused', async () => {
  await to('/suspensions');
  const row = page.locator('tr', { hasText: 'late-payer' });
  await row.waitFor();
  await page.locator('[data-pause]').click();
  await jobs.admin.resume({ tenant: 'late-payer' });
  // Longer than a page waits between two looks.
  await page.waitForTimeout(4_000);
  expect(await row.count()).toBe(1);
  await page.locator('[data-pause]').click();
  await row.waitFor({ state: 'detached' });
});
