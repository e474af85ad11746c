import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import { BatchClosedError, BatchUnknownError, InvalidInputError } from '../../../../shared/job/errors.ts';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { defineJob, type JobHandler } from '../../../../shared/job/job-type.ts';
import { complete, fail } from '../../../../shared/job/verdict.ts';
import type { Query } from '../../../../shared/ports/tables.ts';
import { anyPayload, Rig, type RigOptions } from '../../../support/rig.ts';

const MINUTE = 60_000;
const child = defineJob('child', { payload: anyPayload, retry: 'R1/PT1S' });
const told = defineJob('told', { payload: anyPayload });

interface BatchRig extends Rig {
  /** What callbacks were run with. */
  readonly calls: string[];
}

/** A child fails when its payload says so; callbacks leave their names. */
function batchRig(options: RigOptions = {}, handler: JobHandler<Record<string, unknown>> = () => undefined): BatchRig {
  const calls: string[] = [];
  const rig = new Rig({
    handlers: [
      child.handle(async (context) => (context.payload['fail'] === true ? fail('asked to') : handler(context))),
      told.handle(({ payload }) => void calls.push(String(payload['what']))),
    ],
    ...options,
  });
  return Object.assign(rig, { calls });
}

const CALLBACKS = {
  onCompleted: followUp(told, { what: 'completed' }),
  onSucceeded: followUp(told, { what: 'succeeded' }),
  onFailed: followUp(told, { what: 'failed' }),
};

describe('a batch', () => {
  it('fires completed and succeeded once when every child has succeeded, and says how it is going before', async () => {
    const rig = batchRig();
    const { id, enqueued } = await rig.client.enqueueBatch(child, [{}, {}, {}], { name: 'three', ...CALLBACKS });
    expect(enqueued).toBe(3);
    expect(await rig.client.batch(id)).toMatchObject({ name: 'three', state: 'sealed', total: 3, pending: 3, fired: [] });
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    expect(await rig.client.batch(id)).toMatchObject({
      state: 'finished',
      outcome: 'succeeded',
      total: 3,
      succeeded: 3,
      pending: 0,
      fired: ['completed', 'succeeded'],
    });
    await rig.sweep();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'batches')).toEqual([]);
  });

  it('fires failed at the first dead letter beyond what is tolerated, once, and completed at the end', async () => {
    const rig = batchRig();
    const batch = await rig.client.createBatch({ ...CALLBACKS, maxFailures: 1 });
    await batch.enqueueMany(child, [{ fail: true }, { fail: true }, { fail: true }]);
    await batch.enqueue(child, {}, { delay: 'PT1H' });
    await batch.seal();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['failed']);
    await rig.clock.advance(60 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'failed']);
    expect(await rig.client.batch(batch.id)).toMatchObject({ state: 'finished', outcome: 'failed', succeeded: 1, failed: 3 });
  });

  it('with tolerated failures succeeds', async () => {
    const rig = batchRig();
    await rig.client.enqueueBatch(child, [{ fail: true }, {}], { ...CALLBACKS, maxFailures: 1 });
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
  });

  it('fires nothing before it is sealed, and at once when its children have all ended by then', async () => {
    const rig = batchRig();
    const batch = await rig.client.createBatch(CALLBACKS);
    await batch.enqueueMany(child, [{}, {}]);
    await rig.drain();
    expect([rig.calls.toSorted(), (await rig.client.batch(batch.id))?.state]).toEqual([[], 'open']);
    await batch.seal();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    await expect(batch.enqueue(child, {})).rejects.toBeInstanceOf(BatchClosedError);
    expect((await batch.enqueueMany(child, [{}])).failed[0]?.error).toBeInstanceOf(BatchClosedError);
  });

  it('without children is complete when it is sealed', async () => {
    const rig = batchRig();
    await rig.client.enqueueBatch(child, [], CALLBACKS);
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
  });

  it('counts what a redrive made of its dead letters, and succeeds after all', async () => {
    const rig = batchRig();
    const { id, ids } = await rig.client.enqueueBatch(child, [{ fail: true }, {}], CALLBACKS);
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'failed']);
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id: ids[0] ?? '' }, set: { payload: '{}' } });
    const admin = createAdminOver({ ...rig.deps });
    await admin.redrive(ids[0] ?? '');
    expect(await rig.client.batch(id)).toMatchObject({ state: 'sealed', pending: 1, failed: 0 });
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'failed', 'succeeded']);
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished', outcome: 'succeeded' });
  });

  it('whose builder died stays open until an operator seals it, and then has exactly the children that were accepted', async () => {
    const rig = batchRig();
    const batch = await rig.client.createBatch(CALLBACKS);
    await batch.enqueueMany(child, [{}, {}, {}]);
    await rig.drain();
    await rig.sweep();
    const admin = createAdminOver({ ...rig.deps });
    expect((await admin.batches()).batches).toMatchObject([{ id: batch.id, state: 'open', total: 3, succeeded: 3 }]);
    await admin.sealBatch(batch.id);
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    await rig.sweep();
    expect((await admin.batches()).batches).toEqual([]);
  });

  it('that is cancelled ends the children that are received from then on, and completes without having succeeded or failed', async () => {
    const rig = batchRig();
    const { id } = await rig.client.enqueueBatch(child, [{}, {}, {}], CALLBACKS);
    expect(await rig.client.cancelBatch(id)).toMatchObject({ state: 'cancelled', pending: 3 });
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed']);
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', cancelled: 3 });
    await expect(rig.client.cancelBatch('nobody')).rejects.toBeInstanceOf(BatchUnknownError);
  });

  it('counts a child that its own job adds while it runs, and waits for it', async () => {
    const rig: BatchRig = batchRig({}, async ({ payload, job }) => {
      if (payload['adds'] !== true || job.batch === undefined) return undefined;
      await rig.client.enqueue(child, {}, { batch: job.batch, delay: 'PT1M' });
      return complete({ enqueue: [followUp(child, {}, { batch: job.batch, delay: 'PT2M' }), followUp(child, {})] });
    });
    const { id } = await rig.client.enqueueBatch(child, [{ adds: true }], CALLBACKS);
    await rig.drain();
    expect(await rig.client.batch(id)).toMatchObject({ total: 3, succeeded: 1, pending: 2 });
    expect(rig.calls.toSorted()).toEqual([]);
    await rig.clock.advance(2 * MINUTE);
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    expect(await rig.client.batch(id)).toMatchObject({ total: 3, succeeded: 3 });
  });

  it('whose last child is cancelled completes at once', async () => {
    const rig = batchRig();
    const { id, ids } = await rig.client.enqueueBatch(child, [{}], CALLBACKS);
    await rig.client.cancel(ids[0] ?? '');
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed']);
    expect(await rig.client.batch(id)).toMatchObject({ outcome: 'cancelled' });
  });

  it('within a batch counts as one of its children', async () => {
    const rig = batchRig();
    const outer = await rig.client.createBatch({ id: 'outer', onCompleted: followUp(told, { what: 'outer' }) });
    await rig.client.enqueueBatch(child, [{}, { fail: true }], {
      id: 'inner',
      parent: 'outer',
      onCompleted: followUp(told, { what: 'inner' }),
    });
    await outer.enqueue(child, {});
    await outer.seal();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['inner', 'outer']);
    expect(await rig.client.batch('outer')).toMatchObject({ state: 'finished', outcome: 'failed', total: 2, succeeded: 1, failed: 1 });
  });

  it('that succeeds after all makes the batch around it succeed, even when the executor that told it died before it looked there', async () => {
    const rig = batchRig();
    const outer = await rig.client.createBatch({ id: 'outer', onSucceeded: followUp(told, { what: 'outer' }) });
    const { ids } = await rig.client.enqueueBatch(child, [{ fail: true }], { id: 'inner', parent: 'outer' });
    await outer.seal();
    await rig.drain();
    await rig.sweep();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'batches')).toEqual([]);
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id: ids[0] ?? '' }, set: { payload: '{}' } });
    await createAdminOver({ ...rig.deps }).redrive(ids[0] ?? '');
    const { tables } = rig;
    const dead = (): Promise<never> => Promise.reject(new Error('dead'));
    const query = (asked: Query) => (asked.partition === 'batch#outer' ? dead() : tables.query(asked));
    const messages = rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10);
    await rig.execute(messages, { ...rig.deps, tables: { ...tables, query } });
    await rig.drain();
    expect([(await rig.client.batch('outer'))?.succeeded, rig.calls]).toEqual([1, []]);
    await rig.sweep();
    await rig.drain();
    expect(rig.calls).toEqual(['outer']);
    // It stays on the list for a minute after a child came back.
    await rig.clock.advance(60_000);
    await rig.sweep();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'batches')).toEqual([]);
  });

  it('tells its callbacks and children whom they belong to', async () => {
    const rig = batchRig();
    const urgent = followUp(told, { what: 'completed' }, { inheritPriority: true });
    const { ids } = await rig.client.enqueueBatch(child, [{}], { tenant: 't', correlationId: 'c', priority: 7, onCompleted: urgent });
    expect(await rig.client.get(ids[0] ?? '')).toMatchObject({ tenant: 't', correlationId: 'c', priority: 7 });
    await rig.deliver();
    const [callback] = await rig.rows('jobs');
    expect(callback).toMatchObject({ type: 'told', tenant: 't', correlationId: 'c', priority: 7 });
  });

  it('survives an executor that died before it told the batch: the sweeper tells it', async () => {
    const rig = batchRig();
    const { id } = await rig.client.enqueueBatch(child, [{}], CALLBACKS);
    const { tables } = rig;
    const dead = (): Promise<never> => Promise.reject(new Error('dead'));
    const deps = {
      ...rig.deps,
      tables: { ...tables, query: (query: Query) => (query.partition.startsWith('batch#') ? dead() : tables.query(query)) },
    };
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10), deps);
    await rig.drain();
    expect([rig.calls.toSorted(), (await rig.client.batch(id))?.succeeded]).toEqual([[], 1]);
    await rig.sweep();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
  });
});

describe('the sweeper', () => {
  it('looks at more batches than one run may in turn, and forgets none', async () => {
    const rig = batchRig();
    const ids = Array.from({ length: 130 }, (_, n) => `batch-${String(n).padStart(3, '0')}`);
    for (const id of ids) await (await rig.client.createBatch({ id, expected: 1 })).enqueue(child, {}, { delay: 'P1D' });
    const late = await rig.client.createBatch({ id: 'z', ...CALLBACKS });
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: 'batch#z', sk: 'head' }, set: { state: 'sealed' } });
    for (let run = 0; run < 3; run++) await rig.sweep();
    expect(await rig.client.batch(late.id)).toMatchObject({ state: 'finished' });
    expect((await createAdminOver({ ...rig.deps }).batches({ limit: 200 })).batches).toHaveLength(130);
  });

  it('takes a batch off its list whose head is gone', async () => {
    const rig = batchRig();
    await rig.tables.write({ op: 'put', table: 'control', row: { pk: 'batches', sk: 'gone' } });
    await rig.sweep();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'batches')).toEqual([]);
  });

  it('journals a head that cannot be read, and goes on', async () => {
    const rig = batchRig();
    await rig.client.createBatch({ id: 'a' });
    await rig.client.createBatch({ id: 'b', ...CALLBACKS });
    const set = { state: 'sealed' };
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: 'batch#a', sk: 'head' }, set: { ...set, leaves: 'many' } });
    await rig.tables.write({ op: 'update', table: 'control', key: { pk: 'batch#b', sk: 'head' }, set });
    await rig.sweep();
    await rig.drain();
    expect(rig.calls.toSorted()).toEqual(['completed', 'succeeded']);
    expect(rig.journal.entries.filter(({ event }) => event === 'store-failed').map(({ reason }) => reason)).toEqual(['batch#a']);
  });
});

describe('a batch refuses', () => {
  it.each([
    ['parent', { id: 'a', parent: 'a' }],
    ['maxFailures', { maxFailures: -1 }],
    ['expected', { expected: 1.5 }],
    ['onCompleted.batch', { onCompleted: followUp(told, {}, { batch: 'b' }) }],
    ['onFailed.delay', { onFailed: followUp(told, {}, { delay: 'PT1M' }) }],
    ['onFailed.payload', { onFailed: followUp(told, { quotes: '"'.repeat(130_000) }) }],
    ['options', { onDone: followUp(told, {}) }],
  ] as const)('%s that cannot work, and names it', async (field, options) => {
    const error = await batchRig()
      .client.createBatch(options as never)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect((error as InvalidInputError).field).toBe(field);
  });

  it('an id that another batch has, a parent that is an own descendant or does not exist, and a batch option from outside', async () => {
    const { client } = batchRig();
    await client.createBatch({ id: 'a' });
    await client.createBatch({ id: 'b', parent: 'a' });
    await expect(client.createBatch({ id: 'a' })).rejects.toThrow(/^id: "a"/);
    await expect(client.createBatch({ id: 'a', parent: 'b' })).rejects.toThrow(/^parent: "b".*wait for itself/);
    await expect(client.createBatch({ parent: 'nobody' })).rejects.toBeInstanceOf(BatchUnknownError);
    await expect(client.enqueue(child, {}, { batch: 'a' })).rejects.toThrow(/^batch: "a"/);
  });
});
