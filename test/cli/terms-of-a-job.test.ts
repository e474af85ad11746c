import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { openConsole } from '../console/open-console.ts';
import { words } from '../console/page-words.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

it('jobs show and the page of a job have its unique key, until when it may start, and that it holds its group back', async () => {
  const work = defineJob('work', { payload: anyPayload, startWithin: 'PT1H', group: () => ({ name: 'acme', onFailure: 'block' }) });
  const rig = new Rig({ handlers: [work.handle(() => {})] });
  const now = () => rig.clock.now();
  const { id } = await rig.client.enqueue(work, {}, { delay: 'PT2H', key: { value: 'order-7 <b>', for: 'P1D' } });
  const admin = createAdminOver(rig.deps);
  const iso = (ms: number): string => new Date(now() + ms).toISOString();

  const terminal = fakeTerminal({ environment, admin, now });
  expect(await runCli(['jobs', 'show', id], terminal.io)).toBe(0);
  for (const line of [/holds back: +true/, /key: +order-7 <b>/, /key expires at: /, /start by: /]) expect(terminal.out()).toMatch(line);
  const asJson = fakeTerminal({ environment, admin, now });
  expect(await runCli(['jobs', 'show', id, '--json'], asJson.io)).toBe(0);
  const terms = { key: 'order-7 <b>', keyExpiresAt: iso(24 * 3_600_000), startBy: iso(3 * 3_600_000), holdsBack: true };
  expect(JSON.parse(asJson.out())).toMatchObject(terms);

  const page = await openConsole({ admin, now });
  const { text } = await page.get(`/jobs/${id}`);
  await page.close();
  expect(words(text)).toMatch(/Group is held back until this job has ended .*Unique key order-7 .*Key held until .*Has to start by /);
  expect(text).toContain('order-7 &lt;b&gt;');
});
