import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { batchLeafKey } from '../../../../shared/store/control-rows.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload } from '../../../support/rig.ts';
import type { Break } from './break.ts';

const child = defineJob('child', { payload: anyPayload });
const told = defineJob('told', { payload: anyPayload });

/** A query over several rows is no snapshot: a child joins in a row that was read, after it was read. The batch is not complete. */
export async function joinedWhileRead(): Promise<readonly Break[]> {
  const breaks: Break[] = [];
  const rig = faultyRig({
    handlers: [
      child.handle(() => undefined),
      told.handle(() => void breaks.push({ rule: 'callback-once', what: 'completed was told while a child had not ended' })),
    ],
  });
  const batch = await rig.client.createBatch({ onCompleted: followUp(told, {}) });
  await batch.enqueue(child, {});
  await batch.seal();
  rig.faults.before(
    (writes) => writes.some((write) => write.op === 'update' && 'completedFired' in write.set),
    () => rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(batch.id, 7), set: {}, add: { total: 1 } }),
  );
  await rig.drain();
  return breaks;
}
