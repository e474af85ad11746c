import { expect, it } from 'vitest';
import { defineJob } from '../../../shared/job/job-type.ts';
import { openInvocation, addHold, releaseHolds } from '../../../functions/executor/invocation.ts';
import { slotHold } from '../../../functions/executor/gates/limits.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { anyPayload } from '../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

it('slots that cannot be given back are journalled, left to expire and forgotten', async () => {
  const rig = faultyRig();
  const job = await take(rig, (await rig.client.enqueue(work, {})).id);
  const invocation = openInvocation(rig.deps, rig.invocation());
  for (const index of [0, 1])
    addHold(invocation, job, slotHold({ limit: { hash: 'h', name: 'l', n: 2 }, index, until: job.lockExpiresAt }));
  rig.faults.unreadable(() => true);
  await releaseHolds(invocation, job);
  expect(rig.journal.count('store-failed')).toBe(2);
  expect(invocation.holds.size).toBe(0);
});
