import { expect, it } from 'vitest';
import type { Admin } from '../../../../operate/admin.ts';
import { schedule, scheduled } from '../../../support/scheduled-rig.ts';

const WHY = { reason: 'audit', actor: 'ann' };
const nightly = schedule({ cron: '0 9 * * *' });

it.each<[string, string, (admin: Admin, batch: string) => Promise<unknown>]>([
  ['schedules.put', 'schedule#nightly', async ({ schedules }) => schedules.put(nightly, WHY)],
  ['schedules.edit', 'schedule#nightly', async ({ schedules }) => schedules.edit('nightly', { cron: '@daily' }, WHY)],
  ['schedules.pause', 'schedule#nightly', async ({ schedules }) => schedules.pause('nightly', WHY)],
  ['schedules.resume', 'schedule#paused', async ({ schedules }) => schedules.resume('paused', WHY)],
  ['schedules.runNow', 'schedule#nightly', async ({ schedules }) => schedules.runNow('nightly', WHY)],
  ['schedules.delete', 'schedule#nightly', async ({ schedules }) => schedules.delete('nightly', WHY)],
  ['sealBatch', 'batch#', async (admin, batch) => admin.sealBatch(batch, WHY)],
  ['cancelBatch', 'batch#', async (admin, batch) => admin.cancelBatch(batch, WHY)],
])('%s records its reason and actor', async (verb, scope, act) => {
  const { admin, client } = scheduled();
  await admin.schedules.put(nightly);
  await admin.schedules.put({ ...nightly, name: 'paused' });
  await admin.schedules.pause('paused');
  const { id } = await client.createBatch();
  await act(admin, id);
  expect((await admin.audit()).filter(({ reason }) => reason !== undefined)).toEqual([
    expect.objectContaining({ verb, ...WHY, scope: expect.stringContaining(scope) as string }),
  ]);
});

it('an empty reason and an empty actor are none', async () => {
  const { admin } = scheduled();
  await admin.schedules.put(nightly, { reason: '', actor: '' });
  const [entry] = await admin.audit();
  expect(entry).toMatchObject({ verb: 'schedules.put', actor: 'operator' });
  expect(entry).not.toHaveProperty('reason');
});
