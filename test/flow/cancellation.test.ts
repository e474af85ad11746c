import { describe, expect, test } from 'vitest';
import { type CancelAnswer, defineJob, JobCancelledError, snooze } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const WHY = { reason: 'order withdrawn', actor: 'anna' };

/** A rig whose handler waits until its signal fires, and what that signal said. */
function stoppable(options: { readonly finishAnyway?: boolean; readonly history?: 'off' | 'outcome' | 'durable' } = {}) {
  const reasons: unknown[] = [];
  const rig: Rig = new Rig({
    handlers: [
      work.handle(async ({ signal }) => {
        await rig.clock.wait(60_000, signal);
        reasons.push(signal.reason);
        if (options.finishAnyway !== true) signal.throwIfAborted();
      }),
    ],
    ...(options.history === undefined ? {} : { history: options.history }),
  });
  return { rig, reasons };
}

describe('the reason of a cancel', () => {
  test('reaches a running handler with its actor, and History', async () => {
    const { rig, reasons } = stoppable();
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    expect(await rig.client.cancel(id, WHY)).toBe('cancel-requested');
    await rig.until(delivered, 1_000);
    expect(reasons).toEqual([expect.any(JobCancelledError)]);
    expect(reasons[0]).toMatchObject({ reason: 'order withdrawn', by: 'anna' });
    expect(await rig.client.get(id)).toMatchObject({
      state: 'finished',
      outcome: 'cancelled',
      cancelReason: 'order withdrawn',
      cancelledBy: 'anna',
    });
  });

  test.each(['outcome', 'durable'] as const)('is in History (%s) also when the handler finished all the same', async (history) => {
    const { rig } = stoppable({ finishAnyway: true, history });
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    await rig.client.cancel(id, WHY);
    await rig.until(delivered, 1_000);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled', cancelReason: 'order withdrawn', cancelledBy: 'anna' });
  });

  test('frees a key for a stated time when the handler finished all the same', async () => {
    const { rig } = stoppable({ finishAnyway: true });
    const key = { value: 'k', for: 'P1D' } as const;
    const { id } = await rig.client.enqueue(work, {}, { key });
    const delivered = rig.deliver();
    await rig.settle();
    await rig.client.cancel(id, WHY);
    await rig.until(delivered, 1_000);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled', cancelReason: 'order withdrawn' });
    expect(await rig.client.enqueue(work, {}, { key })).toMatchObject({ duplicate: false });
  });

  test.each([
    ['off', 'outcome', 'cancelled'],
    ['full', 'outcome', 'cancelled'],
    ['outcome', 'off', undefined],
  ] as const)('is kept as the deployment says where the type says %s and the deployment %s', async (ofType, history, outcome) => {
    const type = defineJob('work', { payload: anyPayload, history: ofType });
    const rig: Rig = new Rig({ history, handlers: [type.handle(async ({ signal }) => rig.clock.wait(60_000, signal))] });
    const { id } = await rig.client.enqueue(type, {});
    const delivered = rig.deliver();
    await rig.settle();
    await rig.client.cancel(id, WHY);
    await rig.until(delivered, 1_000);
    const { finished } = await rig.client.history(id);
    expect(finished?.outcome).toBe(outcome);
    expect(finished?.payload).toBeUndefined();
  });

  test.each([0, 3_600_000])('is kept for a job that did not run (due in %d ms)', async (delay) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay });
    expect(await rig.client.cancel(id, WHY)).toBe('cancelled');
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled', cancelReason: 'order withdrawn', cancelledBy: 'anna' });
  });

  test('tells a child of a cancelled batch from others', async () => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id, ids } = await rig.client.enqueueBatch(work, [{}]);
    await rig.client.cancelBatch(id);
    await rig.drain();
    expect(await rig.client.get(ids[0] ?? '')).toMatchObject({ outcome: 'cancelled', cancelReason: 'its batch was cancelled' });
    // It never started.
    expect(await rig.rows('history')).toMatchObject([{ starts: 0 }]);
  });

  test('is that of the first who asked', async () => {
    const { rig, reasons } = stoppable();
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    await rig.client.cancel(id, { reason: 'first' });
    expect(await rig.client.cancel(id, { reason: 'second' })).toBe('cancel-requested');
    await rig.until(delivered, 1_000);
    expect(reasons[0]).toMatchObject({ reason: 'first', by: undefined });
  });
});

describe('cancel with wait', () => {
  const waitFor = async (rig: Rig, id: string): Promise<CancelAnswer> => rig.until(rig.client.cancel(id, { wait: 'PT20S' }), 250);

  test.each(['off', 'outcome', 'durable'] as const)('tells that the cancel won (history %s)', async (history) => {
    const { rig } = stoppable({ history });
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    expect(await waitFor(rig, id)).toBe('cancelled');
    expect((await rig.rows('jobs')).length).toBe(0);
    await rig.until(delivered);
  });

  test('tells that the completion won, as soon as History says so', async () => {
    const rig: Rig = new Rig({
      handlers: [work.handle(({ payload }) => (payload['slow'] === true ? rig.clock.wait(8_000) : undefined))],
    });
    const { id } = await rig.client.enqueue(work, {});
    // A neighbour in the batch keeps the invocation, and so the entry in History, waiting.
    await rig.client.enqueue(work, { slow: true });
    const delivered = rig.deliver();
    await rig.settle();
    expect(await rig.client.get(id)).toBeUndefined();
    expect(await waitFor(rig, id)).toBe('completed');
    await rig.until(delivered);
  });

  test('says what it can when nothing keeps how a job ended, without waiting', async () => {
    const rig = new Rig({ history: 'off', handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await rig.client.cancel(id, { wait: 'PT20S' })).toBe('not-found');
  });

  test('gives up when the handler does not end in time, and the request stands', async () => {
    const rig: Rig = new Rig({ handlers: [work.handle(() => rig.clock.wait(60_000))] });
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    expect(await waitFor(rig, id)).toBe('cancel-requested');
    await rig.until(delivered, 1_000);
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled' });
  });

  test('cancels a job that goes back to its queue meanwhile', async () => {
    const rig: Rig = new Rig({
      handlers: [
        work.handle(async () => {
          await rig.clock.wait(3_000);
          return snooze('PT1H');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, {});
    const delivered = rig.deliver();
    await rig.settle();
    expect(await waitFor(rig, id)).toBe('cancelled');
    await rig.until(delivered);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  test.each([
    ['dead', 'dead'],
    ['cancelled', 'cancelled'],
  ] as const)('answers at once for a job that is %s', async (_, answer) => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw Object.assign(new Error('no'), { name: 'NonRetryableError' });
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, {}, { retry: 'R1/PT1S' });
    if (answer === 'dead') await rig.drain();
    else await rig.client.cancel(id);
    expect(await rig.client.cancel(id, { wait: 'PT20S' })).toBe(answer);
  });
});

describe('cancelByKey', () => {
  test('cancels the job that holds the key, and frees it', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { key: 'order 1', delay: 'PT1H' });
    expect(await rig.client.cancelByKey(work, 'order 1', WHY)).toEqual({ outcome: 'cancelled', id });
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'cancelled', cancelReason: 'order withdrawn' });
    expect(await rig.client.enqueue(work, {}, { key: 'order 1' })).toMatchObject({ duplicate: false });
  });

  test('asks one that runs to stop', async () => {
    const { rig, reasons } = stoppable();
    const { id } = await rig.client.enqueue(work, {}, { key: 'order 1' });
    const delivered = rig.deliver();
    await rig.settle();
    expect(await rig.client.cancelByKey(work, 'order 1', WHY)).toEqual({ outcome: 'cancel-requested', id });
    await rig.until(delivered, 1_000);
    expect(reasons[0]).toMatchObject({ reason: 'order withdrawn' });
  });

  test('knows keys by type and tenant', async () => {
    const rig = new Rig();
    const other = defineJob('other', { payload: anyPayload });
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', tenant: 'acme', delay: 'PT1H' });
    expect(await rig.client.cancelByKey(work, 'k')).toEqual({ outcome: 'not-found' });
    expect(await rig.client.cancelByKey(other, 'k', { tenant: 'acme' })).toEqual({ outcome: 'not-found' });
    expect(await rig.client.cancelByKey(work, 'k', { tenant: 'acme' })).toEqual({ outcome: 'cancelled', id });
  });

  test('says that the work is done when a key outlives its job', async () => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {}, { key: { value: 'k', for: 'PT1H' } });
    await rig.drain();
    expect(await rig.client.cancelByKey(work, 'k')).toEqual({ outcome: 'finished', id });
  });
});

test.each([
  [{ wait: 'PT1H' }, /wait: .*PT15M/],
  [{ reason: 7 }, /reason/],
  [{ force: true }, /force/],
])('bad options are refused before anything is asked: %j', async (options, message) => {
  const rig = new Rig();
  const { id } = await rig.client.enqueue(work, {});
  await expect(rig.client.cancel(id, options as never)).rejects.toThrow(message);
  await expect(rig.client.cancelByKey(work, '', {})).rejects.toThrow(/key/);
  expect(await rig.client.get(id)).toMatchObject({ state: 'ready', cancelRequested: false });
});
