import { expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { fail } from '../../../../shared/job/verdict.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const child = defineJob('child', { payload: anyPayload, retry: 'R1/PT1S' });

/** A finished batch of three dead letters, whose handler succeeds from now on. */
async function finishedBatch() {
  let [broken, started] = [true, 0];
  const rig = new Rig({
    handlers: [
      child.handle(() => {
        started++;
        return broken ? fail('asked to') : undefined;
      }),
    ],
  });
  const { id, ids } = await rig.client.enqueueBatch(child, [{}, {}, {}]);
  await rig.drain();
  [broken, started] = [false, 0];
  const admin = createAdminOver({ ...rig.deps });
  const redrive = async () => {
    for (const one of ids) await admin.redrive(one ?? '');
  };
  return { rig, id, admin, redrive, started: () => started };
}

it.each(['client', 'admin'] as const)('cancelBatch of the %s ends the redriven dead letters of a finished batch', async (by) => {
  const { rig, id, admin, redrive, started } = await finishedBatch();
  await redrive();
  expect(await { client: rig.client, admin }[by].cancelBatch(id)).toMatchObject({ state: 'cancelled', pending: 3 });
  await rig.drain();
  expect(started()).toBe(0);
  expect(await rig.client.batch(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelled: 3 });
});

it('cancelBatch of a finished batch leaves what is redriven later to run', async () => {
  const { rig, id, redrive, started } = await finishedBatch();
  expect(await rig.client.cancelBatch(id)).not.toHaveProperty('cancelledAt');
  await redrive();
  await rig.drain();
  expect(started()).toBe(3);
});
