import { describe, expect, it } from 'vitest';
import { followUp } from '../../../../shared/job/follow-up.ts';
import { jobIdFrom } from '../../../../shared/job/job-id.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { batchHeadKey, readBatch, type SeenBatch } from '../../../../shared/features/batches/store/batch-rows.ts';
import { jobRow } from '../../../../shared/store/rows.ts';
import { batchLeafKey } from '../../../../shared/store/control-rows.ts';
import { tellBatch } from '../../../../shared/features/batches/store/tell-batch.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const child = defineJob('child', { payload: anyPayload });
const told = defineJob('told', { payload: anyPayload });

/** A batch as it was seen when the last of its children ended. */
async function seen(): Promise<{ readonly rig: Rig; readonly seen: SeenBatch }> {
  const rig = new Rig();
  const { id } = await rig.client.enqueueBatch(child, [{}], { onCompleted: followUp(told, {}), onFailed: followUp(told, {}) });
  await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 0), set: {}, add: { failed: 1 } });
  const batch = await readBatch(rig.tables, id);
  if (batch === undefined) throw new Error('no batch');
  return { rig, seen: batch };
}

const callbackId = ({ head }: SeenBatch): string => jobIdFrom(head.sealedAt ?? head.createdAt, `${head.id}/completed`);

const tell = async (rig: Rig, batch: SeenBatch, token = 't') =>
  tellBatch(rig.tables, batch, { due: ['completed'] }, { token, now: rig.clock.now(), redispatchAfterMs: 60_000 });

describe('the end of a batch', () => {
  it.each([
    ['total', 0],
    ['succeeded', 0],
    ['failed', 0],
    ['cancelled', 0],
    ['total', 1],
  ])('is not told when %s changed since it was read (leaf %i)', async (counter, leaf) => {
    const { rig, seen: batch } = await seen();
    const key = batchLeafKey(batch.head.id, leaf);
    await rig.tables.write({ op: 'update', table: 'control', key, set: {}, add: { [counter]: 1 } });
    expect(await tell(rig, batch)).toEqual({ result: 'lost' });
    expect((await readBatch(rig.tables, batch.head.id))?.head.fired).toEqual([]);
  });

  it('is told once, also when the job that was enqueued for it has finished', async () => {
    const { rig, seen: batch } = await seen();
    expect(await tell(rig, batch)).toMatchObject({ result: 'told', jobs: [{ type: 'told' }] });
    for (const { id } of await rig.rows('jobs')) await rig.tables.write({ op: 'delete', table: 'jobs', key: { id: String(id) } });
    expect(await tell(rig, batch, 'another')).toEqual({ result: 'lost' });
  });

  it('is not told when its parent learned something else of it meanwhile', async () => {
    const { rig, seen: batch } = await seen();
    await rig.tables.write({ op: 'update', table: 'control', key: batchHeadKey(batch.head.id), set: { told: 'failed' } });
    expect(await tell(rig, batch)).toEqual({ result: 'lost' });
  });

  it('enqueues its job as due now, unless one lies under its id already', async () => {
    const { rig, seen: batch } = await seen();
    await rig.clock.advance(60_000);
    const answer = await tell(rig, batch);
    expect(answer).toMatchObject({ jobs: [{ dueAt: rig.clock.now(), createdAt: rig.clock.now() }] });
    const [job] = answer.result === 'told' ? answer.jobs : [];
    const other = await seen();
    const twin = { op: 'put', table: 'jobs', row: { ...jobRow(job as never), id: callbackId(other.seen), rev: 99 } } as const;
    await other.rig.tables.write(twin);
    expect(await tell(other.rig, other.seen)).toEqual({ result: 'lost' });
    expect((await other.rig.tables.get('jobs', { id: twin.row.id }))?.['rev']).toBe(99);
  });

  it('is not told to its parent when a counter changed since it was read', async () => {
    const { rig, seen: batch } = await seen();
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(batch.head.id, 0), set: {}, add: { failed: 1 } });
    const parent = { ...batch.head, parent: 'p', parentLeaf: 0 };
    const terms = { token: 't', now: rig.clock.now(), redispatchAfterMs: 60_000 };
    expect(await tellBatch(rig.tables, { ...batch, head: parent }, { due: [], forParent: 'failed' }, terms)).toEqual({ result: 'lost' });
    expect(await rig.tables.get('control', batchLeafKey('p', 0))).toBeUndefined();
  });

  it.each([
    ['it is open again', { state: 'open' }, {}],
    ['its parent knows something else of it', { told: 'failed' }, { told: 'succeeded' }],
  ] as const)('is not told when %s', async (_, set, head) => {
    const { rig, seen: batch } = await seen();
    await rig.tables.write({ op: 'update', table: 'control', key: batchHeadKey(batch.head.id), set });
    expect(await tell(rig, { ...batch, head: { ...batch.head, ...head } })).toEqual({ result: 'lost' });
  });

  it('counts in its parent, and is kept for thirty days', async () => {
    const { rig, seen: batch } = await seen();
    const head = { ...batch.head, parent: 'p', parentLeaf: 0 };
    const terms = { token: 't', now: rig.clock.now(), redispatchAfterMs: 60_000 };
    await tellBatch(rig.tables, { ...batch, head }, { due: ['completed'], forParent: 'failed' }, terms);
    expect(await rig.tables.get('control', batchLeafKey('p', 0))).toMatchObject({ failed: 1 });
    const expiresAt = Math.ceil(rig.clock.now() / 1000) + 30 * 86_400;
    expect(await rig.tables.get('control', batchHeadKey(batch.head.id))).toMatchObject({ told: 'failed', expiresAt });
  });
});
