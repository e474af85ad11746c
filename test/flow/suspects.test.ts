import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../shared/admin/admin.ts';
import { defineJob } from '../../shared/core/job-type.ts';
import { loseMessages, take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload });

/** A ready job that was beside others when its process died, so that it is to run alone; no message names it. */
async function suspect(
  options: { readonly group?: string } = {},
): Promise<{ readonly rig: Rig; readonly admin: Admin; readonly id: string }> {
  const rig = new Rig({ handlers: [work.handle(() => undefined)] });
  const { id } = await rig.client.enqueue(work, {}, options);
  await take(rig, id, MINUTE, false);
  await rig.clock.advance(2 * MINUTE);
  await rig.sweep();
  loseMessages(rig);
  return { rig, admin: createAdminOver(rig.parts), id };
}

const bodies = (rig: Rig) =>
  rig.queues
    .flatMap((queue) => rig.hints.receive(queue, 10))
    .map(({ body }) => JSON.parse(body) as { readonly id: string; readonly alone?: number });

describe('a job that may have killed a process is still to run alone', () => {
  it.each<readonly [string, (admin: Admin, id: string, rig: Rig) => Promise<unknown>]>([
    ['is started by an operator', async (admin, id) => admin.runNow(id)],
    ['has another priority', async (admin, id) => admin.setPriority(id, 4)],
    ['is due at another time', async (admin, id) => admin.setDueDate(id, { delay: 'PT1M' })],
    [
      'is dispatched again because its message was lost',
      async (_, __, rig) => {
        await rig.clock.advance(10 * MINUTE);
        await rig.sweep();
      },
    ],
  ])('when it %s', async (_, act) => {
    const { rig, admin, id } = await suspect();
    await act(admin, id, rig);
    await rig.clock.advance(2 * MINUTE);
    expect(bodies(rig)).toMatchObject([{ id, alone: 1 }]);
  });

  it('when its message waits on a standard queue for that of its group', async () => {
    const { rig, admin, id } = await suspect({ group: 'g' });
    await admin.setDueDate(id, { delay: 'PT1M' });
    await rig.clock.advance(2 * MINUTE);
    const messages = rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10);
    expect(messages).toHaveLength(1);
    await rig.execute(messages);
    expect(bodies(rig)).toMatchObject([{ id, alone: 1 }]);
  });
});
