import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineJob } from '../../../shared/index.ts';
import { createTestKit } from '../../../testing/index.ts';
import { fixedDeployment, NOW } from '../../console/fixed-deployment.ts';
import { type OpenConsole, openConsole } from '../../console/open-console.ts';
import { launchChromium } from './chromium.ts';
import { hostileLists } from './hostile-lists.ts';
import { VECTORS } from './vectors.ts';
import { foreignMarkup, type WatchedPage, watchedPage } from './watched-page.ts';

const mail = defineJob('mail.send', { payload: z.record(z.string(), z.unknown()), retry: 'R1/PT1M' });

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => browser?.close());

/** Faults of the given pages, by path: a text that became markup, something that ran or was loaded, another status. */
async function harmOf({ page, troubles }: WatchedPage, origin: string, paths: readonly string[]): Promise<readonly string[]> {
  const harm: string[] = [];
  for (const path of paths) {
    const answer = await page.goto(`${origin}${path}`, { waitUntil: 'load' });
    if (![200, 400, 404].includes(answer?.status() ?? 0)) harm.push(`${path}: ${answer?.status()}`);
    harm.push(...(await foreignMarkup(page)).map((found) => `${path}: ${found}`));
  }
  return [...harm, ...troubles];
}

describe('a text of a user that is markup, in every field that a user fills', () => {
  const failing = createTestKit([
    mail.handle(({ payload }) => {
      const text = String(payload['text']);
      throw Object.assign(new Error(text), { name: text.replaceAll(/\s/gu, ''), stack: `${text}\n    at ${text} (mail.ts:1:1)` });
    }),
  ]);
  const groups: string[] = [];
  const ids: string[] = [];
  let opened: OpenConsole;

  beforeAll(async () => {
    const { client, admin } = failing;
    for (const text of VECTORS) {
      const { id } = await client.enqueue(mail, { text, [text]: text }, { tenant: text, correlationId: text, group: text });
      ids.push(id);
    }
    await failing.advance('PT5M');
    for (const [index, text] of VECTORS.entries()) {
      const { id } = await client.enqueue(mail, { text }, { delay: 'P1D', tenant: text });
      await admin.breakpoint(id, { reason: text, actor: text });
      if (index % 10 !== 0) continue;
      await admin.suspend({ tenant: text }, { reason: text, actor: text });
      ids.push(id);
    }
    let after: string | undefined;
    do {
      const page = await admin.errorGroups({ limit: 100, ...(after === undefined ? {} : { after }) });
      groups.push(...page.groups.map(({ fingerprint }) => fingerprint));
      after = page.next;
    } while (after !== undefined);
    opened = await openConsole({ admin, now: () => failing.clock.now() });
  });
  afterAll(async () => opened?.close());

  it('is only a text on the lists', async () => {
    const watched = await watchedPage(browser, opened.newLink());
    const lists = ['dead', 'suspended', 'waiting', 'ready'].map((state) => `/jobs?state=${state}&limit=500`);
    expect(
      await harmOf(watched, opened.origin, ['/', ...lists, '/jobs', '/dead-letters', '/suspensions', '/audit', '/bulks', '/groups']),
    ).toEqual([]);
    await watched.close();
  });

  it('is only a text on the page of each job', async () => {
    expect(ids.length).toBeGreaterThan(VECTORS.length);
    const watched = await watchedPage(browser, opened.newLink());
    expect(
      await harmOf(
        watched,
        opened.origin,
        ids.map((id) => `/jobs/${id}`),
      ),
    ).toEqual([]);
    await watched.close();
  });

  it('is only a text on the page of each error group', async () => {
    // Vectors that differ in numbers or quoted parts alone are one fault.
    expect(groups.length).toBeGreaterThan(80);
    const watched = await watchedPage(browser, opened.newLink());
    expect(
      await harmOf(
        watched,
        opened.origin,
        groups.filter((_, index) => index % 2 === 0).map((fingerprint) => `/dead-letters/${encodeURIComponent(fingerprint)}`),
      ),
    ).toEqual([]);
    await watched.close();
  });

  it('is only a text in an address and in what is searched for', async () => {
    const watched = await watchedPage(browser, opened.newLink());
    const fields = ['text', 'tenant', 'group', 'correlationId'];
    // The four fields of a search have four of them at once.
    const paths = VECTORS.map(encodeURIComponent).flatMap((text, index, all) => [
      ...(index % fields.length === 0
        ? [`/jobs?${fields.map((field, at) => `${field}=${all[(index + at) % all.length]}`).join('&')}`]
        : []),
      [`/find?q=${text}`, `/jobs/${text}`, `/audit?tenant=${text}&day=${text}`, `/jobs?after=${text}&state=${text}`][index % 4] ?? '',
    ]);
    expect(await harmOf(watched, opened.origin, paths)).toEqual([]);
    await watched.close();
  });
});

describe('a text of a user that is markup, in what only lists of the whole show', () => {
  it('is only a text', async () => {
    const opened = await openConsole({ admin: fixedDeployment(hostileLists()), now: () => NOW });
    const watched = await watchedPage(browser, opened.newLink());
    const paths = ['/', '/schedules', '/suspensions', '/groups', '/limits', '/batches', '/workers', '/audit', '/dead-letters'];
    expect(
      await harmOf(watched, opened.origin, [...paths, ...VECTORS.slice(0, 20).map((text) => `/schedules/${encodeURIComponent(text)}`)]),
    ).toEqual([]);
    expect(opened.problems).toEqual([]);
    await watched.close();
    await opened.close();
  });
});
