import { expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { snooze } from '../../shared/job/verdict.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const WORKERS = { default: { lanes: { default: 'q/default', urgent: 'q/urgent' }, from: { urgent: 10 }, fifo: 'q/default.fifo' } };
const rate = defineLimit('rate', { rate: 1, per: 'PT1M' });
const keyless = (): string => {
  throw new Error('no key');
};
const keyed = defineLimit('keyed', { concurrency: 1 }, { key: keyless });
const [plain, rated, limited, rerouted] = [
  defineJob('plain', { payload: anyPayload }),
  defineJob('rated', { payload: anyPayload, limits: [rate] }),
  defineJob('limited', { payload: anyPayload, limits: [keyed] }),
  defineJob('rerouted', { payload: anyPayload }),
];

const receiveAll = (rig: Rig) => rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));

// Who writes the same owner twice takes another's return for its own when a reply is lost.
it.each<readonly [string, (rig: Rig) => Promise<{ readonly id: string }>]>([
  ['snoozes', async (rig) => rig.client.enqueue(plain, {})],
  [
    'waits for the start that it booked',
    async (rig) => {
      await rig.client.enqueue(rated, {});
      await rig.execute(receiveAll(rig));
      return rig.client.enqueue(rated, {});
    },
  ],
  ['has a limit that throws', async (rig) => rig.client.enqueue(limited, {})],
  [
    'goes to the lane of another priority',
    async (rig) => {
      await createAdminOver(rig.deps).overridePriority({ type: 'rerouted' }, 15);
      await rig.clock.advance(MINUTE);
      return rig.client.enqueue(rerouted, {});
    },
  ],
  [
    'goes to the queue of its group',
    async (rig) => {
      const job = await rig.client.enqueue(rerouted, {}, { group: 'g' });
      receiveAll(rig);
      rig.hints.inject({ worker: 'default', lane: 'default', kind: 'standard' }, JSON.stringify({ v: 1, id: job.id, n: 1 }));
      return job;
    },
  ],
])('a job that %s belongs to its queue under a name of its own, until it is dispatched anew', async (_, enqueue) => {
  const handlers = [plain.handle(() => snooze('PT1M')), rated.handle(() => undefined), limited.handle(() => undefined)];
  const rig = new Rig({ handlers: [...handlers, rerouted.handle(() => undefined)], workers: WORKERS });
  const owners = new Set<unknown>();
  for (const _job of [1, 2]) {
    const { id } = await enqueue(rig);
    await rig.execute(receiveAll(rig));
    const row = (await rig.tables.get('jobs', { id })) ?? {};
    expect(row['lockOwner']).toMatch(/^queue\//);
    owners.add(row['lockOwner']);
    const dueAt = Math.max(rig.clock.now(), Date.parse(String(row['dueAt'])));
    expect(row['lockExpiresAt']).toBe(iso(dueAt + rig.deployment.settings.redispatchAfterMs));
  }
  expect(owners.size).toBe(2);
});
