import { expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { createTestKit } from '../../../../testing/index.ts';
import { anyPayload } from '../../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload, history: 'full' });

it('lists and counts each finished job once, however much History holds beside it: attempts and the event log', async () => {
  const kit = createTestKit([work.handle(() => {})], { eventLog: true });
  const { id } = await kit.client.enqueue(work, {});
  await kit.drain();
  expect((await kit.admin.list({ state: 'finished' })).jobs.map((job) => job.id)).toEqual([id]);
  expect((await kit.admin.list({ state: 'finished', type: 'work', worker: 'default' })).jobs).toHaveLength(1);
  expect(await kit.admin.count({ state: 'finished' })).toMatchObject({ finished: 1 });
  expect((await kit.admin.history({ limit: 10 })).jobs).toHaveLength(1);
  await kit.advance('PT1M');
  expect((await kit.admin.events()).events.length).toBeGreaterThan(1);
});
