import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { openConsole } from '../console/open-console.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });

it('jobs show and the page of a job have the errors before the last one, with attempt and time', async () => {
  const rig = new Rig({
    handlers: [
      work.handle(({ job }) => {
        throw new TypeError(`no <b>${job.attempt}</b>`);
      }),
    ],
  });
  const { id } = await rig.client.enqueue(work, {});
  for (let attempt = 1; attempt <= 3; attempt++) {
    await rig.drain();
    await rig.clock.advance(60_000);
  }
  const admin = createAdminOver(rig.deps);
  const now = () => rig.clock.now();
  const terminal = fakeTerminal({ environment, admin, now });
  expect(await runCli(['jobs', 'show', id], terminal.io)).toBe(0);
  const lines = terminal.out().split('\n');
  const before = lines.filter((line) => line.includes('before:')).map((line) => line.replace(/^ *before: +/, ''));
  expect(before).toEqual([
    expect.stringMatching(/^attempt 2 .* TypeError: no <b>2<\/b>$/),
    expect.stringMatching(/^attempt 1 .* TypeError: no <b>1<\/b>$/),
  ]);
  const page = await openConsole({ admin, now });
  const { text } = await page.get(`/jobs/${id}`);
  await page.close();
  expect(text).toContain('Errors before it, the newest first');
  expect(text).toContain('TypeError: no &lt;b&gt;1&lt;/b&gt;');
  expect(text).not.toContain('<b>1</b>');
});
