import { expect, it } from 'vitest';
import { runCli } from '../../../cli/run-cli.ts';
import { createAdminOver } from '../../../operate/admin.ts';
import { fakeTerminal } from '../../cli/fake-terminal.ts';
import { Rig } from '../../support/rig.ts';

it.each([
  ['seal', 'sealBatch'],
  ['cancel', 'cancelBatch'],
])('nightcrew batches %s takes a reason for the audit', async (name, verb) => {
  const rig = new Rig();
  const admin = createAdminOver(rig.deps);
  const { id } = await rig.client.createBatch();
  const terminal = fakeTerminal({ environment: { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' }, admin });
  expect(await runCli(['batches', name, id, '--reason', 'its builder died', '--actor', 'ben'], terminal.io)).toBe(0);
  const entry = { verb, scope: `batch#${id}`, actor: 'ben', reason: 'its builder died' };
  expect(await admin.audit()).toContainEqual(expect.objectContaining(entry));
});
