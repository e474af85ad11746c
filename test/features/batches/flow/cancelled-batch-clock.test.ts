import { expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const child = defineJob('child', { payload: anyPayload });

it('a batch that is cancelled after the clock of an executor went back ends the children that it starts from then on', async () => {
  let [aheadMs, started] = [MINUTE, 0];
  let batch = '';
  const handled = child.handle(async () => {
    started += 1;
    aheadMs = 0;
    await rig.client.cancelBatch(batch);
  });
  const rig: Rig = new Rig({ handlers: [handled], settings: { batchConcurrency: 1 } });
  const { clock } = rig;
  Object.assign(rig.deps, { clock: { now: () => clock.now() + aheadMs, wait: clock.wait.bind(clock) } });
  batch = (await rig.client.enqueueBatch(child, [{}, {}, {}])).id;
  await rig.deliver();
  expect(started).toBe(1);
  expect(await rig.client.batch(batch)).toMatchObject({ outcome: 'cancelled', cancelled: 2 });
});
