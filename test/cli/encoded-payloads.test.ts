import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { continueWith, defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';
import { fakeTerminal } from './fake-terminal.ts';

const pay = defineJob('pay', { payload: anyPayload, codec: sealingCodec('seal') });
const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

it('the command line names the codec of a payload, and leaves the payload alone', async () => {
  const rig = new Rig({ handlers: [pay.handle(() => continueWith({ at: 1 }))] });
  const { id } = await rig.client.enqueue(pay, { iban: 'DE89' });
  await rig.deliver();
  const row = await rig.tables.get('jobs', { id });
  const nightcrew = async (...args: readonly string[]) => {
    const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
    return { code: await runCli(args, terminal.io), out: terminal.out() };
  };
  const shown = await nightcrew('jobs', 'show', id);
  expect(shown.out).toMatch(/\n {2}payload: +encoded by seal\n/);
  expect(shown.out).toMatch(/\n {2}handler state: +encoded by seal\n/);
  expect(shown.out).not.toContain(row?.['payload']);
  expect(JSON.parse((await nightcrew('jobs', 'show', id, '--json')).out)).toMatchObject({ codec: 'seal', payload: row?.['payload'] });
  for (const verb of [
    ['edit', '--payload', '{}'],
    ['patch', '--patch', '{"a":1}'],
    ['change-tenant', '--to-tenant', 'acme'],
    ['move', '--to-type', 'other'],
  ]) {
    const { code, out } = await nightcrew('jobs', ...verb.slice(0, 1), ...verb.slice(1), id);
    expect([code, out]).toEqual([3, expect.stringContaining('encoded')]);
  }
  expect(await rig.tables.get('jobs', { id })).toEqual(row);
});
