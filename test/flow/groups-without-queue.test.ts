import { expect, it } from 'vitest';
import { groupsCheck } from '../../cli/doctor/check-running.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const account = defineJob('account', { payload: anyPayload, group: 'a' });
const lanes = { default: 'q/default' };

/** A worker without a FIFO queue, and one of its grouped jobs that waits. */
async function waiting(queues: { fifo?: string }) {
  const rig = new Rig({ handlers: [account.handle(() => {})], workers: { default: { lanes, ...queues } } });
  const { id } = await rig.client.enqueue(account, {});
  const admin = createAdminOver(rig.deps);
  const findings = await groupsCheck.run({ deployment: rig.deployment, admin } as never);
  return { explained: await admin.explain(id), blocked: await admin.blockedGroups(), findings };
}

it('a worker that runs grouped jobs without a queue for them is named by explain, blockedGroups and doctor, with the fix', async () => {
  const { explained, blocked, findings } = await waiting({});
  expect(explained?.text).toContain('lies in the queue of its worker default, lane default.');
  expect(explained?.text).toContain('Worker default has no queue for grouped jobs');
  expect(blocked).toMatchObject({ groups: [], withoutGroupQueue: ['default'] });
  expect(findings).toEqual([
    expect.objectContaining({ subject: 'default', status: 'warning', fix: expect.stringContaining('groups: true') as string }),
  ]);
});

it('a worker that has one is not named', async () => {
  const { explained, blocked, findings } = await waiting({ fifo: 'q/default.fifo' });
  expect(explained?.text).toContain('for grouped jobs.');
  expect(explained?.text).not.toContain('has no queue');
  expect([blocked.withoutGroupQueue, findings]).toEqual([undefined, []]);
});
