import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
const notify = defineJob('notify', { payload: anyPayload });
const mail = defineJob('mail.send', { payload: anyPayload, worker: 'mail' });

/** Three jobs that wait on the worker that mail has left. */
async function waiting() {
  const ran: string[] = [];
  const rig = new Rig({
    workers: { default: { lanes: { default: 'queue/default' } }, mail: { lanes: { default: 'queue/mail' } } },
    handlers: [notify.handle(() => void ran.push('notify')), mail.handle(() => void ran.push('mail'))],
  });
  const { ids } = await rig.client.enqueueMany(notify, [{}, {}, {}], { delay: 'PT1H' });
  const nightcrew = async (...args: readonly string[]) => {
    const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
    return { code: await runCli(args, terminal.io), out: terminal.out(), err: terminal.err() };
  };
  return { rig, ran, ids: ids.map(String), nightcrew };
}

describe('nightcrew jobs move', () => {
  it('counts what a filter matches, moves it at a rate, and the jobs run on their new worker', async () => {
    const { rig, ran, nightcrew } = await waiting();
    const there = ['jobs', 'move', '--type', 'notify', '--to-type', 'mail.send', '--to-worker', 'mail'];
    expect(await nightcrew(...there, '--dry-run')).toMatchObject({ code: 0, out: expect.stringMatching(/^3 jobs .* would be moved/) });
    expect(await rig.rows('timers')).toMatchObject([{ worker: 'default' }, { worker: 'default' }, { worker: 'default' }]);
    expect(await nightcrew(...there, '--yes', '--reason', 'mail has its own worker', '--rate', '1000')).toMatchObject({ code: 0 });
    expect(await rig.rows('timers')).toMatchObject([{ type: 'mail.send' }, { type: 'mail.send' }, { type: 'mail.send' }]);
    expect((await nightcrew('audit')).out).toContain('mail has its own worker');
    await rig.clock.advance(3_600_000);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual(['mail', 'mail', 'mail']);
  });

  it('moves single jobs by their ids, and names those that are left alone', async () => {
    const { ids, nightcrew } = await waiting();
    const [id = '', ended = ''] = ids;
    await nightcrew('jobs', 'cancel', ended);
    expect(await nightcrew('jobs', 'move', '--to-worker', 'mail', id)).toMatchObject({ code: 0, out: `${id}  moved\n` });
    const again = await nightcrew('jobs', 'move', '--to-worker', 'mail', ended);
    expect(again).toMatchObject({ code: 3, out: expect.stringContaining(`${ended}  left alone: `) });
  });

  it.each([
    [[], /worker, type, or both/],
    [['--to-worker', 'mial'], /"mial" .*This deployment has: default, mail\./],
    [['--to-type', '1x'], /type: "1x" /],
  ])('is refused with %j before anything is written', async (to, message) => {
    const { rig, ids, nightcrew } = await waiting();
    const before = await rig.rows('timers');
    for (const chosen of [['--type', 'notify', '--yes'], ids.slice(0, 1)]) {
      const { code, err } = await nightcrew('jobs', 'move', ...to, ...chosen);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
    }
    expect(await rig.rows('timers')).toEqual(before);
  });
});
