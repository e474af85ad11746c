import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload });

/** What an operator's typing error does to the row of a job. */
async function spoil(rig: Rig, id: string): Promise<void> {
  await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { priority: 'high' } });
}

describe('a job whose row cannot be read', () => {
  it('holds its unique key as long as it lies there', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    await spoil(rig, id);
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id, duplicate: true });
  });

  it('is a dead letter like any other once it was set aside: it is shown, and its key is free again', async () => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, { a: 1 }, { key: 'k' });
    await spoil(rig, id);
    await rig.drain();
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
    expect((await rig.rows('control')).filter(({ pk }) => String(pk).startsWith('key#'))).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'unreadable', type: 'work', payload: { a: 1 } });
    expect(await rig.client.cancel(id)).toBe('dead');
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
  });

  it('overwrites no dead letter that has its id already', async () => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, { first: true }, { retry: 'never' });
    const twin = await rig.tables.get('jobs', idKey(id));
    await rig.drain();
    await rig.tables.write({ op: 'put', table: 'jobs', row: { ...twin, payload: '{"second":true}', priority: 'high' } });
    await rig.clock.advance(2 * HOUR);
    expect((await rig.sweep()).counts).toEqual({ quarantined: 1 });
    const payloads = (await rig.rows('deadLetters')).map(({ payload }) => payload);
    expect(new Set(payloads)).toEqual(new Set(['{"first":true}', '{"second":true}']));
  });

  it.each([['lockOwner'], ['lockExpiresAt']])('is found by the sweeper although its %s is no text that a lease could be', async (name) => {
    for (const value of [7, true, false]) {
      const rig = new Rig();
      const { id } = await rig.client.enqueue(work, {});
      const far = new Date(rig.clock.now() + 1_000 * HOUR).toISOString();
      await rig.tables.write({
        op: 'update',
        table: 'jobs',
        key: idKey(id),
        set: { lockOwner: 'run/x', lockExpiresAt: far, [name]: value },
      });
      expect((await rig.sweep()).counts).toEqual({ quarantined: 1 });
    }
  });

  it('is set aside also when it fills its item to the brim', async () => {
    const rig = new Rig();
    const row = { id: rig.client.newId(), type: 'work', payload: 'x'.repeat(300_000), tenant: 'y'.repeat(100_000) };
    for (const full of [row, { ...row, tenant: '', payload: 'x'.repeat(409_000) }]) {
      await rig.clock.advance(MINUTE);
      await rig.tables.write({ op: 'put', table: 'jobs', row: full });
      expect((await rig.sweep()).counts).toEqual({ quarantined: 1 });
    }
  });

  it('is set aside when it can be read, but leaves no room for the error that it may end with', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const set = { payload: JSON.stringify('x'.repeat(403_000)), lockExpiresAt: '2020-01-01T00:00:00.000Z' };
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set });
    expect((await rig.sweep()).counts).toEqual({ quarantined: 1 });
    expect(await rig.rows('deadLetters')).toMatchObject([{ id, reason: 'unreadable' }]);
  });

  it('keeps no half of a character of its type', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const set = { type: `${'x'.repeat(127)}\u{1f600}`, lockExpiresAt: 'never', lockOwner: 'queue/0/x', dueAt: '2020-01-01T00:00:00.000Z' };
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set });
    await rig.sweep();
    expect((await rig.rows('deadLetters'))[0]?.['type']).toBe(`${'x'.repeat(127)}\ufffd`);
  });

  it.each([
    ['that has no id', 'timers', () => ({ shard: '00', due: '2026-01-01T00:00:00.000Z#garbage', what: 'x' })],
    ['that has an id', 'jobs', (rig: Rig) => ({ id: rig.client.newId(), type: 'work', payload: '{}' })],
  ] as const)('and %s is set aside each time that it is put there, also within minutes', async (_name, table, rowOf) => {
    const rig = new Rig();
    const row = rowOf(rig);
    const error = new Error('unreadable');
    for (const now of [rig.clock.now(), rig.clock.now() + MINUTE]) {
      await rig.tables.write({ op: 'put', table, row });
      expect(await quarantine(rig.tables, table, row, { error, now })).toMatchObject({ type: expect.any(String) as string });
    }
    expect(await rig.counts()).toMatchObject({ [table]: 0, deadLetters: 2 });
  });
});
