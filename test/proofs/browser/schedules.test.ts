import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { defineSchedule } from '../../../shared/index.ts';
import { sendMail } from '../../console/jobs-in-every-state.ts';
import { PICTURES, signedInEach, type SignedIn } from './signed-in.ts';

const HOSTILE = '"><script>alert(1)</script>';

let stage: SignedIn;
let page: Page;
signedInEach(1, (fresh) => {
  stage = fresh;
  ({ page } = fresh);
});
beforeEach(async () => {
  const payload = { to: HOSTILE };
  const times = { cron: '0 9 * * *', zone: 'Europe/Berlin', exclude: ['SAT', 'SUN', '12-24/12-26'] };
  await stage.jobs.admin.schedules.put(defineSchedule('nightly', { job: sendMail, payload, ...times }));
  await page.goto(`${stage.opened.origin}/schedules/nightly`);
});

const schedules = () => stage.jobs.admin.schedules;
const rangeField = (name: string) => page.locator(`form[aria-label="A range to count"] [name=${name}]`);
const day = (ago: number): string => new Date(stage.jobs.kit.clock.now() - ago * 86_400_000).toISOString().slice(0, 19).concat('Z');

it('counts the occurrences of a past range and enqueues them once', async () => {
  const range = { from: day(14), to: day(0) };
  const { count = 0 } = (await schedules().backfill('nightly', range)) ?? {};
  expect(count).toBeGreaterThan(5);
  await rangeField('from').fill(range.from);
  await rangeField('to').fill(range.to);
  await page.getByRole('button', { name: 'Count' }).click();
  await page.getByText(`${count} occurrences, from`).waitFor({ timeout: 60_000 });
  await page.screenshot({ path: `${PICTURES}/schedule-backfill.png`, fullPage: true });
  await page.getByRole('button', { name: 'Backfill…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('[name=reason]').fill('lost mails');
  await dialog.getByRole('button', { name: 'Backfill', exact: true }).click();
  await page.waitForURL('**/jobs?schedule=nightly');
  expect((await stage.jobs.admin.list({ schedule: 'nightly', state: 'ready' })).jobs).toHaveLength(count);
  expect(await schedules().backfill('nightly', { ...range, apply: true })).toMatchObject({ enqueued: 0, known: count });
});

it('edits a schedule, keeps what was typed when it changed meanwhile, and saves it then', async () => {
  await page.locator('#edit-schedule summary').click();
  const form = page.locator('form[data-action=schedule-edit]');
  await form.locator('[name=exclude]').fill('SUN, 2027-01-01');
  await form.locator('[name=overlap]').selectOption('skip');
  await page.screenshot({ path: `${PICTURES}/schedule-edit.png`, fullPage: true });
  await schedules().edit('nightly', { missed: 'all' });
  await form.getByRole('button', { name: 'Save the schedule' }).click();
  await page
    .locator('#toasts .notice', { hasText: /changed meanwhile/u })
    .first()
    .waitFor();
  await expect.poll(async () => form.getAttribute('data-body')).toContain((await schedules().get('nightly'))?.hash);
  expect(await form.locator('[name=exclude]').inputValue()).toBe('SUN, 2027-01-01');
  expect(await form.locator('[name=overlap]').inputValue()).toBe('skip');
  await form.locator('[name=missed]').selectOption('all');
  await form.getByRole('button', { name: 'Save the schedule' }).click();
  await expect
    .poll(async () => (await schedules().get('nightly'))?.definition)
    .toMatchObject({
      recurrence: { cron: '0 9 * * *', exclude: ['SUN', '2027-01-01'], zone: 'Europe/Berlin' },
      overlap: 'skip',
      missed: 'all',
      payload: JSON.stringify({ to: HOSTILE }),
    });
});

it('makes a schedule with bounds, and its form removes them again', async () => {
  await page.goto(`${stage.opened.origin}/schedules`);
  await page.locator('#make-schedule summary').click();
  const made = page.locator('form[data-action=schedule-make]');
  const texts = {
    name: 'reports',
    type: sendMail.name,
    worker: 'default',
    cron: '30 2 * * *',
    zone: 'Europe/Berlin',
    jitter: 'PT5M',
    reason: 'new',
  };
  const bounds = { from: '2090-01-01T00:00:00Z', until: '2090-12-31T23:00:00Z', maxRuns: '9' };
  for (const [name, value] of Object.entries({ ...texts, ...bounds })) await made.locator(`[name=${name}]`).fill(value);
  await made.locator('[name=dstGap]').selectOption('skip');
  await page.screenshot({ path: `${PICTURES}/schedule-make.png`, fullPage: true });
  await made.getByRole('button', { name: 'Make the schedule' }).click();
  await page.waitForURL('**/schedules/reports');
  const definition = async () => (await schedules().get('reports'))?.definition;
  expect(await definition()).toMatchObject({
    recurrence: { dst: { gap: 'skip' }, from: '2090-01-01T00:00:00.000Z' },
    maxRuns: 9,
    jitterMs: 300_000,
  });
  await page.locator('#edit-schedule summary').click();
  const form = page.locator('form[data-action=schedule-edit]');
  for (const name of Object.keys(bounds)) await form.locator(`[name=${name}]`).fill('');
  await form.locator('[name=dstGap]').selectOption('');
  await page.screenshot({ path: `${PICTURES}/schedule-bounds.png`, fullPage: true });
  await form.getByRole('button', { name: 'Save the schedule' }).click();
  await expect.poll(async () => (await definition())?.recurrence).toEqual({ cron: '30 2 * * *', zone: 'Europe/Berlin' });
  expect(await definition()).not.toHaveProperty('maxRuns');
});

it('deletes a schedule after a confirmation', async () => {
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.waitForURL('**/schedules');
  expect(await schedules().get('nightly')).toBeUndefined();
});
