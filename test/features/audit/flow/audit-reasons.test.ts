import { expect, it } from 'vitest';
import type { Admin } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { anyPayload } from '../../../support/any-payload.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

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

const NOTHING = { reason: '', actor: '' };

it.each<[string, (rig: ScheduledRig) => Promise<unknown>]>([
  ['schedules.put', async ({ admin }) => admin.schedules.put(nightly, NOTHING)],
  [
    'schedules.backfill',
    async ({ admin, clock }) => {
      await admin.schedules.put(nightly);
      const to = new Date(clock.now());
      await admin.schedules.backfill('nightly', { from: new Date(clock.now() - 172_800_000), to, apply: true, ...NOTHING });
    },
  ],
  [
    'cancelWhere',
    async ({ admin, client }) => {
      await client.enqueue(defineJob('mail', { payload: anyPayload }), {});
      await admin.cancelWhere({ type: 'mail' }, NOTHING);
    },
  ],
])('an empty reason and an empty actor of %s are none', async (verb, act) => {
  const rig = scheduled();
  await act(rig);
  const entry = (await rig.admin.audit()).find((one) => one.verb === verb);
  expect(entry).toMatchObject({ verb, actor: 'operator' });
  expect(entry).not.toHaveProperty('reason');
});
