import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const work = defineJob('work', { payload: anyPayload });

it('nightcrew jobs delete removes with --live what does not run, and without it dead letters alone', async () => {
  const rig = new Rig({ handlers: [work.handle(() => {})] });
  const { ids } = await rig.client.enqueueMany(work, [{}, {}, {}], { delay: 'PT1H' });
  const nightcrew = async (...args: readonly string[]) => {
    const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
    return { code: await runCli(args, terminal.io), out: terminal.out(), err: terminal.err() };
  };
  const [id = ''] = ids.map(String);
  expect(await nightcrew('jobs', 'delete', id)).toMatchObject({ code: 3, out: `${id}  left alone: waiting\n` });
  expect(await nightcrew('dead-letters', 'delete', id)).toMatchObject({ code: 3, out: `${id}  left alone: waiting\n` });
  expect(await nightcrew('jobs', 'delete', id, '--dry-run')).toMatchObject({ code: 3, out: `${id}  left alone: waiting\n` });
  expect(await nightcrew('jobs', 'delete', id, '--rate', '5')).toMatchObject({ code: 3, out: `${id}  left alone: waiting\n` });
  expect(await nightcrew('jobs', 'delete', id, '--live', '--dry-run')).toMatchObject({ code: 0, out: expect.stringMatching(/^1 job/) });
  for (const chosen of [[id], ['--type', 'work', '--yes'], [id, '--dry-run']])
    expect(await nightcrew('dead-letters', 'delete', '--live', ...chosen)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--live'),
    });
  expect(await rig.counts()).toMatchObject({ timers: 3 });
  expect(await nightcrew('jobs', 'delete', '--type', 'work', '--yes')).toMatchObject({ code: 0, out: 'Nothing matches.\n' });
  expect(await nightcrew('jobs', 'delete', id, '--live', '--reason', 'duplicate')).toMatchObject({ code: 0, out: `${id}  deleted\n` });
  const rest = await nightcrew('jobs', 'delete', '--live', '--type', 'work', '--yes');
  expect(rest).toMatchObject({ code: 0, out: expect.stringMatching(/^done: 2 done of 2 matched/) });
  expect(await rig.counts()).toMatchObject({ timers: 0 });
  expect((await nightcrew('audit')).out).toContain('duplicate');
});
