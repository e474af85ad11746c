import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { bury } from '../../shared/store/bury.ts';
import { uniqueKeyKey, uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const KEY = uniqueKeyHash('work', undefined, 'k');
const error = { name: 'Error', message: 'no', at: 0 };

/** A job with a unique key, in a batch or not. */
async function keyed(inBatch: boolean): Promise<{ readonly rig: Rig; readonly id: string; readonly batch: string }> {
  const rig = new Rig();
  const batch = await rig.client.createBatch({});
  const { id } = await (inBatch ? batch : rig.client).enqueue(work, {}, { key: 'k' });
  return { rig, id, batch: batch.id };
}

/** Its key's row is removed by hand, or is another job's by now. */
async function loseKey(rig: Rig, to: 'nobody' | 'another job'): Promise<void> {
  const write = to === 'nobody' ? { op: 'delete', key: uniqueKeyKey(KEY) } : { op: 'put', row: uniqueKeyRow(KEY, rig.client.newId()) };
  await rig.tables.write({ table: 'control', ...write } as Parameters<Rig['tables']['write']>[0]);
}

const keys = async (rig: Rig) => (await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('key#'));

describe.each([
  ['nobody', false],
  ['another job', false],
  ['nobody', true],
  ['another job', true],
] as const)('a job whose unique key belongs to %s (in a batch: %s)', (to, inBatch) => {
  it('becomes a dead letter all the same', async () => {
    const { rig, id, batch } = await keyed(inBatch);
    const job = await take(rig, id);
    await loseKey(rig, to);
    expect(await bury(rig.tables, job, { reason: 'non-retryable', error })).toMatchObject({ result: 'dead', dead: { id } });
    expect(await keys(rig)).toHaveLength(to === 'nobody' ? 0 : 1);
    expect((await rig.client.batch(batch))?.failed).toBe(inBatch ? 1 : 0);
  });

  it('is set aside all the same when its row cannot be read', async () => {
    const { rig, id, batch } = await keyed(inBatch);
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { priority: 'high' } });
    await loseKey(rig, to);
    const row = (await rig.tables.get('jobs', idKey(id))) ?? {};
    expect(await quarantine(rig.tables, 'jobs', row, { error: new Error('unreadable'), now: rig.clock.now() })).toMatchObject({ id });
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
    expect(await keys(rig)).toHaveLength(to === 'nobody' ? 0 : 1);
    expect((await rig.client.batch(batch))?.failed).toBe(inBatch ? 1 : 0);
  });
});

describe('a row that could not be read', () => {
  it.each([
    ['rev', 7],
    ['lockOwner', 'run/another'],
    ['lockExpiresAt', '2030-01-01T00:00:00.000Z'],
  ])('stays where it is when its %s changed before it was set aside', async (name, value) => {
    const { rig, id } = await keyed(false);
    const row = (await rig.tables.get('jobs', idKey(id))) ?? {};
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { [name]: value } });
    expect(await quarantine(rig.tables, 'jobs', row, { error: new Error('unreadable'), now: rig.clock.now() })).toBeUndefined();
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
  });
});

describe('a burial that finds the row changed', () => {
  it.each([
    ['the lease was renewed', { lockExpiresAt: '2030-01-01T00:00:00.000Z' }],
    ['somebody else claimed the job', { lockOwner: 'run/another' }],
  ])('buries nothing when %s', async (_, set) => {
    const { rig, id } = await keyed(false);
    const job = await take(rig, id);
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set });
    expect(await bury(rig.tables, job, { reason: 'crash-loop', error })).toEqual({ result: 'lost' });
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
  });

  it('frees its unique key all the same', async () => {
    const { rig, id } = await keyed(false);
    const job = await take(rig, id);
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: {}, add: { rev: 1 } });
    expect(await bury(rig.tables, job, { reason: 'crash-loop', error })).toMatchObject({ result: 'dead' });
    expect(await keys(rig)).toEqual([]);
  });

  it('takes along what was edited', async () => {
    const { rig, id } = await keyed(false);
    const job = await take(rig, id);
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { payload: '{"new":true}' }, add: { rev: 1 } });
    expect(await bury(rig.tables, job, { reason: 'crash-loop', error })).toMatchObject({
      result: 'dead',
      dead: { payload: '{"new":true}' },
    });
  });
});
