import { expect, it } from 'vitest';
import { defineJob } from '../../../shared/core/job-type.ts';
import { openBatch } from '../../../functions/executor/batch.ts';
import { releaseSlots, noteSlot } from '../../../functions/executor/held-slots.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { anyPayload } from '../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

it('slots that cannot be given back are journalled, left to expire and forgotten', async () => {
  const rig = faultyRig();
  const job = await take(rig, (await rig.client.enqueue(work, {})).id);
  const batch = openBatch(rig.deps, rig.invocation());
  for (const index of [0, 1]) noteSlot(batch, job, { limit: { hash: 'h', name: 'l', n: 2 }, index, until: job.lockExpiresAt });
  rig.faults.unreadable(() => true);
  await releaseSlots(batch, job);
  expect(rig.journal.count('store-failed')).toBe(2);
  expect(batch.slots.size).toBe(0);
});
