import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob, NonRetryableError } from '../../../../shared/index.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

describe('attempts that executors recorded', () => {
  it('are found by outcome, error group and tenant; another tenant has none', async () => {
    const work = defineJob('work', { payload: anyPayload, history: 'attempts', retry: 'R2/PT1M' });
    const rig = new Rig({
      handlers: [
        work.handle(({ payload }) => {
          if (payload['bad'] === true) throw new NonRetryableError(`no bank ${payload['of'] as number}`);
        }),
      ],
    });
    const own = createAdminOver(rig.deps);
    await rig.client.enqueueMany(work, [{ bad: true, of: 1 }, { of: 2 }], { tenant: 'acme' });
    const { id } = await rig.client.enqueue(work, { bad: true, of: 3 });
    await rig.drain();
    await rig.clock.advance(MINUTE);
    const dead = await own.find(id);
    const found = await own.attempts({ fingerprint: String(dead?.fingerprint) });
    expect(found.attempts).toHaveLength(2);
    expect(found.attempts).toMatchObject(
      [1, 2].map(() => ({ type: 'work', worker: 'default', outcome: 'dead-lettered', fingerprint: dead?.fingerprint })),
    );
    expect((await own.attempts({ outcome: 'completed' })).attempts).toHaveLength(1);
    expect((await own.forTenant('acme').attempts()).attempts).toHaveLength(2);
    expect((await own.forTenant('globex').attempts()).attempts).toHaveLength(0);
  });

  it('are found for a job that ran ahead of its time, or long after it was first due, where its due time is asked for', async () => {
    const work = defineJob('work', { payload: anyPayload, history: 'attempts' });
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const own = createAdminOver(rig.deps);
    const { id } = await rig.client.enqueue(work, {}, { delay: 'P3D' });
    await own.runNow(id);
    await rig.drain();
    await rig.clock.advance(MINUTE);
    expect((await own.attempts()).attempts).toHaveLength(0);
    expect((await own.attempts({ dueTo: new Date(rig.clock.now() + 4 * DAY) })).attempts).toMatchObject([{ jobId: id }]);
  });
});
