import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { readBoundedType } from '../../../../shared/features/backlogs/store/backlog-rows.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const MINUTE = 60_000;
const BOUND = 20;
const work = defineJob('work', { payload: anyPayload, maxBacklog: BOUND });
const many = (count: number): Record<string, unknown>[] => Array.from({ length: count }, () => ({}));

/** Clients of several processes over one store, whose sweeper has found nothing ready. */
async function clients(count: number): Promise<readonly Rig[]> {
  const first = new Rig({ handlers: [work.handle(() => undefined)] });
  await first.client.enqueue(work, {});
  await first.drain();
  await first.clock.advance(MINUTE);
  await first.sweep();
  return [first, ...Array.from({ length: count - 1 }, (_, n) => new Rig({ clock: first.clock, tables: first.tables, seed: n + 2 }))];
}

/** How many of these calls were accepted. */
async function accepted(calls: readonly Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(calls);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

const ready = async ([rig]: readonly Rig[]): Promise<number> => (await (rig as Rig).rows('jobs')).length;

describe('enqueues under a bound at the same time', () => {
  it('never exceed it by one client, whatever calls it makes', async () => {
    const rigs = await clients(1);
    const [{ client }] = rigs as [Rig];
    const batch = await client.createBatch();
    const calls = [
      ...many(BOUND).map(async () => client.enqueue(work, {})),
      client.enqueueMany(work, many(8)),
      batch.enqueueMany(work, many(8)),
      client.enqueueBatch(work, many(8)),
      ...many(5).map(async () => client.forTenant('a').enqueue(work, {})),
    ];
    expect(await accepted(calls)).toBeLessThan(calls.length);
    expect(await ready(rigs)).toBe(BOUND);
  });

  it('exceed it by what the other clients enqueued since the measurement, and by no more', async () => {
    const rigs = await clients(3);
    const calls = rigs.flatMap(({ client }) => many(2 * BOUND).map(async () => client.enqueue(work, {})));
    expect(await accepted(calls)).toBe(3 * BOUND);
    const [first] = rigs as [Rig];
    await first.clock.advance(MINUTE);
    await first.sweep();
    expect(await accepted(rigs.map(async ({ client }) => client.enqueue(work, {})))).toBe(0);
    expect(await ready(rigs)).toBe(3 * BOUND);
  });

  it('are counted by the client although a pass begins while they are written', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {});
    await rig.clock.advance(MINUTE);
    // The pass finds one job; the put of the second is under way.
    rig.faults.before(
      (writes) => writes.some(({ op, table }) => op === 'put' && table === 'jobs'),
      async () => {
        await rig.sweep();
        await rig.clock.advance(10_000);
      },
    );
    await rig.client.enqueue(work, {});
    expect(rig.faults.pending()).toBe(0);
    expect(await readBoundedType(rig.tables, 'work')).toMatchObject({ measured: { count: 1 } });
    await expect(rig.client.enqueueMany(work, many(BOUND - 1))).rejects.toMatchObject({ measured: 1, enqueuedSince: 1 });
    expect(await rig.client.enqueueMany(work, many(BOUND - 2))).toMatchObject({ enqueued: BOUND - 2 });
  });

  it('count as written when the store does not say whether they are', async () => {
    const rig = faultyRig();
    await rig.client.enqueue(work, {});
    await rig.sweep();
    await rig.clock.advance(5_000);
    rig.faults.next((writes) => writes.some(({ op, table }) => op === 'put' && table === 'jobs'), 'lost-for-good');
    await expect(rig.client.enqueue(work, {})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(rig.client.enqueueMany(work, many(BOUND - 1))).rejects.toMatchObject({ measured: 1, enqueuedSince: 1 + 1 });
    rig.faults.next((writes) => writes.some(({ op, table }) => op === 'put' && table === 'jobs'), 'lost-for-good');
    expect(await rig.client.enqueueMany(work, many(1), { keyOf: () => 'key' })).toMatchObject({ enqueued: 0, failed: [{ index: 0 }] });
    expect(rig.faults.pending()).toBe(0);
    await expect(rig.client.enqueueMany(work, many(BOUND - 1))).rejects.toMatchObject({ measured: 1, enqueuedSince: 3 });
  });
});
