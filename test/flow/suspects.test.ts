import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob, type HandledJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { loseMessages, take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const one = defineLimit('one', { concurrency: 1 });
const work = defineJob('work', { payload: anyPayload, limits: [one] });

const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;

/** A ready job that was beside others when its process died, so that it is to run alone; no message names it. */
async function suspect(
  options: { readonly group?: string } = {},
  handled: HandledJob = work.handle(() => undefined),
): Promise<{ readonly rig: Rig; readonly admin: Admin; readonly id: string }> {
  const rig = new Rig({ handlers: [handled] });
  const { id } = await rig.client.enqueue(work, {}, options);
  await take(rig, id, MINUTE, false);
  await rig.clock.advance(2 * MINUTE);
  await rig.sweep();
  loseMessages(rig);
  return { rig, admin: createAdminOver(rig.deps), id };
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

  it.each<readonly [string, (admin: Admin, id: string, rig: Rig, held: PromiseWithResolvers<void>) => Promise<unknown>]>([
    [
      'stopped by an operator and resumed',
      async (admin, id) => {
        await admin.breakpoint(id, { reason: 'a look' });
        await admin.resumeJob(id);
      },
    ],
    [
      'put off for hours and fired',
      async (admin, id, rig) => {
        await admin.setDueDate(id, { delay: 'PT5H' });
        expect((await rig.counts()).timers).toBe(1);
        await rig.clock.advance(5 * HOUR - MINUTE);
        await rig.fire();
      },
    ],
    [
      'held on receipt, because its type is suspended, and released',
      async (admin, id, rig) => {
        await admin.suspend({ type: 'work' }, { reason: 'the bank is down' });
        await rig.clock.advance(10 * MINUTE);
        await rig.sweep();
        await rig.drain();
        expect((await rig.client.get(id))?.state).toBe('suspended');
        await admin.resume({ type: 'work' });
        await rig.clock.advance(6_000);
        await rig.sweep();
      },
    ],
    [
      'parked under a limit and released',
      async (_, id, rig, held) => {
        await rig.client.enqueue(work, { held: true });
        const holder = rig.deliver();
        await rig.settle();
        rig.hints.inject(QUEUE, JSON.stringify({ v: 1, id, n: 2, alone: 1 }));
        await rig.deliver();
        expect((await rig.client.get(id))?.state).toBe('parked');
        held.resolve();
        await holder;
      },
    ],
  ])('when it was %s', async (_, act) => {
    const held = Promise.withResolvers<void>();
    const { rig, admin, id } = await suspect(
      {},
      work.handle(async ({ payload }) => (payload['held'] === true ? held.promise : undefined)),
    );
    await act(admin, id, rig, held);
    await rig.clock.advance(2 * MINUTE);
    expect(bodies(rig)).toMatchObject([{ id, alone: 1 }]);
    expect(await rig.rows('jobs')).toMatchObject([{ id, lockOwner: expect.stringMatching(/^queue\/0\/alone\//) as string }]);
  });

  it('when it booked a start so late that it waits in Timers', async () => {
    const rare = defineJob('rare', { payload: anyPayload, limits: [defineLimit('rare', { rate: 1, per: 'PT5H' })] });
    const rig = new Rig({ handlers: [rare.handle(() => undefined)] });
    await rig.client.enqueue(rare, {});
    await rig.drain();
    const { id } = await rig.client.enqueue(rare, {});
    loseMessages(rig);
    rig.hints.inject(QUEUE, JSON.stringify({ v: 1, id, n: 1, alone: 1 }));
    await rig.drain();
    expect(await rig.rows('timers')).toMatchObject([{ id, alone: true }]);
    await rig.clock.advance(5 * HOUR - MINUTE);
    await rig.fire();
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

it('a job that ran alone and failed may have neighbours again, at once or after hours', async () => {
  for (const retry of ['R2/PT1S', 'R2/PT5H']) {
    const failing = defineJob('failing', { payload: anyPayload, retry });
    const rig = new Rig({ handlers: [failing.handle(() => Promise.reject(new Error('asked to')))] });
    const { id } = await rig.client.enqueue(failing, {});
    loseMessages(rig);
    rig.hints.inject(QUEUE, JSON.stringify({ v: 1, id, n: 1, alone: 1 }));
    await rig.deliver();
    await rig.clock.advance(5 * HOUR - MINUTE);
    await rig.fire();
    await rig.clock.advance(2 * MINUTE);
    const hints = bodies(rig);
    expect(hints.map((hint) => hint.id)).toEqual([id]);
    expect(hints[0]).not.toHaveProperty('alone');
  }
});
