import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { iso } from '../../shared/job/instant.ts';
import type { DeadLetter } from '../../shared/job/job.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { readQuarantined } from '../../shared/store/read-quarantined.ts';
import type { Row, TableName } from '../../shared/ports/tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });

function stage() {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [work.handle(({ payload, job }) => void ran.push({ payload, id: job.id }))] });
  return { rig, ran, admin: createAdminOver(rig.deps) };
}

/** What an older version does with a row that it cannot read, and this one can. */
async function quarantinedBefore(rig: Rig, table: 'jobs' | 'timers' | 'suspended', change: Row = {}, id?: string): Promise<string> {
  const row = (await rig.rows(table as TableName)).find((one) => id === undefined || one['id'] === id);
  if (row === undefined) throw new Error(`no row in ${table}`);
  const dead = await quarantine(rig.tables, table, row, {
    error: new Error('attribute later holds 1, which cannot be read'),
    now: rig.clock.now(),
  });
  await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id: String(dead?.id) }, set: change });
  return String(dead?.id);
}

describe('a dead letter of a row that an older version could not read', () => {
  it('is redriven when this version reads it: with its key, its counters new, and once', async () => {
    const { rig, ran, admin } = stage();
    const { id } = await rig.client.enqueue(work, { a: 1 }, { key: 'k', tenant: 'acme' });
    await quarantinedBefore(rig, 'jobs');
    expect(await admin.find(id)).toMatchObject({ state: 'dead', reason: 'unreadable', readable: true });
    expect(await admin.explain(id)).toMatchObject({ next: { verb: 'redrive', by: 'operator' }, verbs: ['redrive', 'delete'] });
    expect((await admin.explain(id))?.text).toContain('An older version could not read it, and this one can: redrive runs it.');
    expect((await rig.rows('control')).some(({ pk }) => String(pk).startsWith('key#'))).toBe(false);
    expect(await admin.redrive(id)).toBe('redriven');
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ type: 'work', tenant: 'acme', key: 'k', starts: 0, dispatches: 2 });
    const back = await rig.tables.get('jobs', { id });
    for (const name of ['raw', 'reason', 'failedAt', 'fingerprint', 'from']) expect(back).not.toHaveProperty(name);
    expect((await rig.rows('control')).some(({ pk }) => String(pk).startsWith('key#'))).toBe(true);
    expect(await admin.redrive(id)).toBe('not-found');
    await rig.drain();
    expect(ran).toEqual([{ payload: { a: 1 }, id }]);
  });

  it.each([['timers'], ['suspended']] as const)('is redriven whatever table it lay in: %s', async (table) => {
    const { rig, ran, admin } = stage();
    const { id } = await rig.client.enqueue(work, { a: 1 }, table === 'timers' ? { delay: 'PT1H' } : {});
    if (table === 'suspended') await admin.breakpoint(id, { reason: 'test' });
    expect(await quarantinedBefore(rig, table)).toBe(id);
    expect(await admin.redrive(id)).toBe('redriven');
    const back = await rig.tables.get('jobs', { id });
    for (const name of ['cause', 'suspendedAt', 'shard', 'due', 'reason']) expect(back).not.toHaveProperty(name);
    await rig.drain();
    expect(ran).toEqual([{ payload: { a: 1 }, id }]);
  });

  it('counts in its batch again', async () => {
    const { rig, admin } = stage();
    const batch = await rig.client.createBatch({});
    const { id } = await batch.enqueue(work, {});
    await batch.seal();
    await quarantinedBefore(rig, 'jobs');
    expect(await rig.client.batch(batch.id)).toMatchObject({ failed: 1 });
    expect(await admin.redrive(id)).toBe('redriven');
    await rig.drain();
    expect(await rig.client.batch(batch.id)).toMatchObject({ failed: 0, succeeded: 1 });
  });

  it('goes on under the id of its dead letter when its own was taken', async () => {
    const { rig, ran, admin } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    await rig.tables.write({
      op: 'put',
      table: 'deadLetters',
      row: { id, type: 'work', reason: 'unreadable', failedAt: iso(0), raw: '{}' },
    });
    const fresh = await quarantinedBefore(rig, 'jobs');
    expect(fresh).not.toBe(id);
    expect(await admin.redrive(fresh)).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([{ payload: { n: 1 }, id: fresh }]);
  });

  it.each([
    ['is still unreadable', { raw: '{"priority":"high"}' }],
    ['was cut', { raw: '{"priority":' }],
    ['is no row', { raw: '7' }],
    ['is nothing', { raw: 'null' }],
    ['has a payload that was cut', { payload: '{"a":' }],
  ])('is left alone when it %s', async (_, change) => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await quarantinedBefore(rig, 'jobs', change);
    expect(await admin.redrive(id)).toBe('unreadable');
    expect(await admin.find(id)).not.toHaveProperty('readable');
    expect(await admin.explain(id)).toMatchObject({ next: { verb: 'delete' }, verbs: ['delete'] });
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 1 });
  });

  it('is left alone when its payload is gone or no text, unless another is given', async () => {
    const { rig, ran, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: {}, remove: ['payload'] });
    await quarantinedBefore(rig, 'jobs');
    expect(await admin.redrive(id)).toBe('unreadable');
    expect(await admin.redrive(id, { payload: { repaired: true } })).toBe('redriven');
    await rig.drain();
    expect(ran).toEqual([{ payload: { repaired: true }, id }]);
    const number = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: { id: number.id }, set: { payload: 7 } });
    await quarantinedBefore(rig, 'jobs');
    expect(await admin.redrive(number.id)).toBe('unreadable');
    expect(await admin.redrive(number.id, { payload: { repaired: 2 } })).toBe('redriven');
  });
});

it('throws what is no unreadable row: a fault must not look like one', () => {
  const dead = {
    get raw(): string {
      throw new TypeError('a fault');
    },
  } as unknown as DeadLetter;
  expect(() => readQuarantined(dead)).toThrow('a fault');
});
