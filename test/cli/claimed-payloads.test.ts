import { expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { createMemoryPayloads } from '../../shared/adapters/memory/payloads.ts';
import { claimCheck, defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { fakeTerminal } from './fake-terminal.ts';

it('the command line tells where a large payload is, and how large, instead of the claim', async () => {
  const payloads = createMemoryPayloads();
  const load = defineJob('load', { payload: anyPayload, codec: claimCheck({ store: payloads }) });
  const rig = new Rig({ handlers: [load.handle(() => undefined)] });
  const { id } = await rig.client.enqueue(load, { text: 'x'.repeat(20_000) });
  const [kept] = payloads.kept();
  const shown = async (...flags: readonly string[]): Promise<string> => {
    const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };
    const terminal = fakeTerminal({ environment, admin: createAdminOver(rig.deps), now: () => rig.clock.now() });
    await runCli(['jobs', 'show', id, ...flags], terminal.io);
    return terminal.out();
  };
  const text = await shown();
  expect(text).toContain(`encoded by claim-check; 20011 bytes in the payload store, as ${kept?.key}\n`);
  expect(text).not.toContain('sha256');
  expect(JSON.parse(await shown('--json'))).toMatchObject({ codec: 'claim-check', claim: { key: kept?.key, bytes: 20_011 } });
});
