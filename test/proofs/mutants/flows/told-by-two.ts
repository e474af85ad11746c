import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { settleBatch } from '../../../../shared/features/batches/store/settle-batch.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload } from '../../../support/rig.ts';
import type { Break } from './break.ts';

const child = defineJob('child', { payload: anyPayload });
const told = defineJob('told', { payload: anyPayload });

/** Two processes see the end of a batch at once: one is delayed until the other has enqueued the callback and that has finished. */
export async function toldByTwo(): Promise<readonly Break[]> {
  let calls = 0;
  const rig = faultyRig({ handlers: [child.handle(() => undefined), told.handle(() => void calls++)] });
  const batch = await rig.client.createBatch({ onCompleted: followUp(told, {}) });
  await batch.enqueue(child, {});
  await batch.seal();
  rig.faults.before(
    (writes) => writes.some((write) => write.op === 'update' && 'completedFired' in write.set),
    async () => {
      await settleBatch(rig.deps, batch.id);
      await rig.drain();
    },
  );
  await rig.drain();
  if (calls === 1) return [];
  return [{ rule: 'callback-once', what: `the callback of a batch ran ${calls} times` }];
}
