import { describe, expect, it } from 'vitest';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { fail } from '../../../../shared/job/verdict.ts';
import type { Write } from '../../../../shared/ports/tables.ts';
import { addChildren } from '../../../../shared/features/batches/store/add-children.ts';
import { batchLeafKey } from '../../../../shared/store/control-rows.ts';
import type { NewJob } from '../../../../shared/store/create.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import { settleBatch } from '../../../../shared/features/batches/store/settle-batch.ts';
import { type FaultyRig, faultyRig } from '../../../support/faulty-rig.ts';
import type { Aim } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';

const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const child = defineJob('child', { payload: anyPayload, retry: 'R1/PT1S' });
const told = defineJob('told', { payload: anyPayload });
const FAULTS = ['lost-reply', 'lost-for-good', 'unavailable', 'conflict'] as const;

const touches =
  (sk: string, op: Write['op'] = 'update'): Aim =>
  (writes) =>
    writes.some((write) => write.table === 'control' && write.op === op && 'key' in write && String(write.key['sk']).startsWith(sk));
const addsChildren: Aim = touches('put');
const tells: Aim = (writes) => writes.some((write) => write.op === 'update' && 'completedFired' in write.set);
const endsChild: Aim = (writes) => touches('leaf#')(writes) && writes.some(({ op, table }) => op === 'delete' && table === 'jobs');

function stage(): FaultyRig & { readonly calls: string[] } {
  const calls: string[] = [];
  const rig = faultyRig({
    handlers: [
      child.handle(({ payload }) => (payload['fail'] === true ? fail('asked to') : undefined)),
      told.handle(({ payload }) => void calls.push(String(payload['what']))),
    ],
  });
  return Object.assign(rig, { calls });
}

const CALLBACKS = { onCompleted: followUp(told, { what: 'completed' }), onFailed: followUp(told, { what: 'failed' }) };

describe('a child is counted once, whatever the store says', () => {
  it.each(FAULTS)('when it is added (%s): the total is what was accepted', async (fault) => {
    const rig = stage();
    const batch = await rig.client.createBatch(CALLBACKS);
    rig.faults.next(addsChildren, fault, fault === 'conflict' ? 1 : 2);
    const first = await rig.until(batch.enqueueMany(child, [{}, {}]));
    const second = await rig.until(batch.enqueueMany(child, [{}]));
    const stored = (await rig.rows('jobs')).length;
    const progress = await rig.until(batch.seal());
    expect(progress.total).toBe(stored);
    expect(stored).toBe(first.enqueued + second.enqueued);
    await rig.until(rig.drain());
    await rig.until(rig.drain());
    expect([rig.calls, (await rig.client.batch(batch.id))?.pending, rig.faults.pending()]).toEqual([['completed'], 0, 0]);
  });

  it('when it is never known whether a write was applied: the next one finds out', async () => {
    for (const applied of [true, false]) {
      const rig = stage();
      const batch = await rig.client.createBatch(CALLBACKS);
      rig.faults.next(addsChildren, applied ? 'lost-for-good' : 'unavailable', 3);
      const first = await rig.until(batch.enqueueMany(child, [{}, {}]));
      expect(first.failed).toHaveLength(2);
      expect((await rig.until(batch.enqueueMany(child, [{}]))).enqueued).toBe(1);
      expect((await rig.until(batch.seal())).total).toBe(applied ? 3 : 1);
    }
  });

  it('when a frozen builder repeats its write after all its children have finished: it is refused', async () => {
    const rig = stage();
    const batch = await rig.client.createBatch(CALLBACKS);
    await batch.enqueueMany(child, [{}, {}]);
    const [row] = await rig.rows('jobs');
    await rig.drain();
    const zombie: NewJob = { job: decodeLeasedJob(row ?? {}), ready: true, ownId: false, token: 't' };
    const late = addChildren(rig.tables, batch.id, [zombie], { token: 'late', known: [undefined] });
    await expect(late).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect((await rig.counts()).jobs).toBe(0);
    expect((await batch.seal()).total).toBe(2);
  });

  it.each(FAULTS)('when it ends (%s)', async (fault) => {
    const rig = stage();
    const { id } = await rig.client.enqueueBatch(child, [{}, { fail: true }], CALLBACKS);
    rig.faults.next(endsChild, fault);
    rig.faults.next(endsChild, fault);
    await rig.until(rig.drain());
    await rig.clock.advance(60_000);
    await rig.until(rig.drain());
    expect(rig.calls.toSorted()).toEqual(['completed', 'failed']);
    expect(await rig.client.batch(id)).toMatchObject({ total: 2, succeeded: 1, failed: 1, pending: 0 });
    expect(rig.faults.pending()).toBe(0);
  });
});

describe('a callback is enqueued once', () => {
  it.each(FAULTS)('when the store does not say whether it took it (%s): the sweeper asks again', async (fault) => {
    const rig = stage();
    await rig.client.enqueueBatch(child, [{}], CALLBACKS);
    rig.faults.next(tells, fault);
    await rig.until(rig.drain());
    await rig.until(rig.sweep());
    await rig.clock.advance(10 * 60_000);
    await rig.until(rig.sweep());
    await rig.until(rig.drain());
    expect([rig.calls, rig.faults.pending()]).toEqual([['completed'], 0]);
  });

  it('when several who saw the end tell of it at once', async () => {
    const rig = stage();
    const batch = await rig.client.createBatch(CALLBACKS);
    await batch.enqueue(child, {});
    await rig.drain();
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: `batch#${batch.id}`, sk: 'head' }, set: { state: 'sealed' } });
    await rig.until(Promise.all(Array.from({ length: 5 }, () => settleBatch(rig.deps, batch.id))));
    await rig.drain();
    expect(rig.calls).toEqual(['completed']);
  });

  it('not before a child that was added while the counters were read', async () => {
    const rig = stage();
    const batch = await rig.client.createBatch(CALLBACKS);
    await batch.enqueue(child, {});
    await batch.seal();
    // As a read of several rows may show it: the end of a child that joined late is seen, that it joined is not.
    const late = batchLeafKey(batch.id, 63);
    rig.faults.before(tells, () => rig.tables.write({ op: 'update', table: 'control', key: late, set: {}, add: { total: 1 } }));
    await rig.execute(rig.hints.receive(DEFAULT, 10));
    expect([rig.calls, rig.faults.pending()]).toEqual([[], 0]);
    expect(await rig.client.batch(batch.id)).toMatchObject({ pending: 1, fired: [] });
    await rig.tables.write({ op: 'update', table: 'control', key: late, set: {}, add: { succeeded: 1 } });
    await rig.sweep();
    await rig.drain();
    expect(rig.calls).toEqual(['completed']);
  });
});

describe('a job adds to its batch only while it is held', () => {
  it('a run whose lease was lost is told so', async () => {
    let refused: unknown;
    const rig: FaultyRig = faultyRig({
      handlers: [
        child.handle(async ({ job }) => {
          await rig.tables.write({ op: 'update', table: 'jobs', key: { id: job.id }, set: { lockOwner: 'run/another' } });
          refused = await rig.client.enqueue(child, {}, { batch: job.batch ?? '' }).catch((error: unknown) => error);
        }),
      ],
    });
    const { id } = await rig.client.enqueueBatch(child, [{}], {});
    await rig.deliver();
    expect(refused).toMatchObject({ code: 'BATCH_CLOSED' });
    expect(await rig.client.batch(id)).toMatchObject({ total: 1 });
  });
});
