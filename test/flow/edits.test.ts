import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, defineLimit } from '../../shared/index.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const limit = defineLimit<Record<string, unknown>>('per-customer', { concurrency: 1 }, { key: (payload) => String(payload['customer']) });
const work = defineJob('work', { payload: anyPayload, retry: 'never' });
const limited = defineJob('limited', { payload: anyPayload, limits: [limit] });
const strict = defineJob('strict', {
  payload: z.object({ order: z.object({ count: z.number() }) }),
  retry: 'never',
  version: 2,
  upcast: { 1: (payload) => payload },
});

function stage() {
  const ran: unknown[] = [];
  const rig: Rig = new Rig({
    handlers: [
      work.handle(({ payload }) => {
        ran.push(payload);
        if (payload['fails'] === true) throw new Error('no');
      }),
      strict.handle(({ payload }) => {
        ran.push(payload);
        if (payload.order.count < 0) throw new Error('no');
      }),
      limited.handle(async ({ payload }) => {
        ran.push(payload);
        if (payload['slow'] === true) await rig.clock.wait(60_000);
      }),
    ],
  });
  return { rig, ran, admin: createAdminOver({ ...rig.deps, jobTypes: new Map([[strict.name, strict]]) }) };
}

async function deadLetter(options: object = {}) {
  const made = stage();
  const { id } = await made.rig.client.enqueue(work, { fails: true }, options);
  await made.rig.drain();
  expect((await made.rig.client.get(id))?.state).toBe('dead');
  return { ...made, id };
}

describe('a dead letter that is deleted', () => {
  it('is gone for good, and only the audit remembers it', async () => {
    const { rig, admin, id } = await deadLetter({ tenant: 'acme' });
    expect(await admin.delete(id, { actor: 'anna', reason: 'obsolete' })).toBe('deleted');
    expect(await rig.counts()).toMatchObject({ deadLetters: 0, history: expect.any(Number), jobs: 0 });
    expect(await admin.delete(id)).toBe('not-found');
    const [entry, ...others] = await admin.audit();
    expect(entry).toMatchObject({ verb: 'delete', jobId: id, type: 'work', tenant: 'acme', actor: 'anna', reason: 'obsolete' });
    expect(others).toEqual([]);
  });

  it('must be dead: in any other state the answer is that state, and nothing is written', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    expect(await admin.delete(id)).toBe('ready');
    const timer = await rig.client.enqueue(work, {}, { delay: 'P1D' });
    expect(await admin.delete(timer.id)).toBe('waiting');
    await admin.breakpoint(id, { reason: 'test' });
    expect(await admin.delete(id)).toBe('suspended');
    expect(await admin.audit()).toHaveLength(1);
    await expect(admin.delete('nonsense')).rejects.toThrow('Use a lower-case UUIDv7');
  });

  it('may hold a row that cannot be read', async () => {
    const { rig, admin, id } = await deadLetter();
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id }, set: { dueAt: 'yesterday' }, remove: ['rev'] });
    expect(await admin.delete(id)).toBe('deleted');
    expect((await rig.counts()).deadLetters).toBe(0);
  });
});

describe('a payload that is edited', () => {
  it('is what the handler gets, wherever the job lay when it was edited', async () => {
    const { rig, admin, ran, id } = await deadLetter();
    const ready = await rig.client.enqueue(work, { n: 1 });
    const waiting = await rig.client.enqueue(work, { n: 2 }, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(work, { n: 3 });
    await admin.breakpoint(stopped.id, { reason: 'test' });
    for (const [job, n] of [
      [{ id }, 10],
      [ready, 11],
      [waiting, 12],
      [stopped, 13],
    ] as const) {
      expect(await admin.editPayload(job.id, { n }, { actor: 'anna' })).toBe('edited');
    }
    expect(await admin.redrive(id)).toBe('redriven');
    await admin.resumeJob(stopped.id);
    await admin.runNow(waiting.id);
    await rig.drain();
    expect(ran.slice(1)).toHaveLength(4);
    expect(ran).toEqual(expect.arrayContaining([{ n: 10 }, { n: 11 }, { n: 12 }, { n: 13 }]));
    expect((await admin.audit()).filter(({ verb, actor }) => verb === 'editPayload' && actor === 'anna')).toHaveLength(4);
  });

  it('is refused for a row that changed since it was seen', async () => {
    const { rig, admin, id } = await deadLetter();
    const rev = Number((await rig.tables.get('deadLetters', { id }))?.['rev']);
    expect(await admin.editPayload(id, { first: 1 }, { rev })).toBe('edited');
    expect(await admin.editPayload(id, { second: 2 }, { rev })).toBe('changed');
    expect((await rig.tables.get('deadLetters', { id }))?.['payload']).toBe('{"first":1}');
    expect(await admin.audit()).toHaveLength(1);
  });

  it('fits the schema of its type where the session knows it, or nothing is written', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(strict, { order: { count: -1 } });
    await rig.drain();
    await expect(admin.editPayload(id, { order: { count: 'two' } })).rejects.toThrow('order.count');
    await expect(admin.redrive(id, { payload: { order: {} } })).rejects.toThrow('order.count');
    await expect(admin.editPayload(id, undefined)).rejects.toThrow('payload');
    await expect(admin.editPayload(id, {}, null as never)).rejects.toThrow('Give an object of options');
    await expect(admin.editPayload(id, { order: { count: 1 }, text: 'x'.repeat(300_000) })).rejects.toThrow('262144');
    expect(await rig.rows('deadLetters')).toMatchObject([{ payload: '{"order":{"count":-1}}' }]);
    expect(await admin.redrive(id, { payload: { order: { count: 3 } } })).toBe('redriven');
    await rig.drain();
    expect(ran.at(-1)).toEqual({ order: { count: 3 } });
    expect((await admin.audit())[0]).toMatchObject({ verb: 'redrive', detail: 'with another payload' });
  });

  it('of a parked job lets it ask its limits again', async () => {
    const { rig, admin, ran } = stage();
    await rig.client.enqueue(limited, { customer: 'a', slow: true });
    const running = rig.deliver();
    await rig.settle();
    const { id } = await rig.client.enqueue(limited, { customer: 'a' });
    await rig.until(
      rig.drain().then(() => undefined),
      10,
    );
    expect((await rig.client.get(id))?.state).toBe('parked');
    expect(await admin.editPayload(id, { customer: 'b' })).toBe('edited');
    await rig.drain();
    expect(ran).toContainEqual({ customer: 'b' });
    await rig.until(running, 1_000);
  });
});

describe('a job of another tenant', () => {
  it('is the same job with the same key under its new tenant, and the old one may use the key again', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k' });
    expect(await admin.changeTenant(id, 'globex', { actor: 'anna' })).toBe('changed');
    expect(await rig.client.enqueue(work, {}, { tenant: 'globex', key: 'k' })).toEqual({ id, duplicate: true });
    expect(await rig.client.enqueue(work, {}, { tenant: 'acme', key: 'k' })).toMatchObject({ duplicate: false });
    expect((await admin.audit())[0]).toMatchObject({ verb: 'changeTenant', tenant: 'acme', detail: 'to globex', actor: 'anna' });
    expect(await admin.changeTenant(id, 'acme')).toBe('key-taken');
    expect(await admin.changeTenant(id, null)).toBe('changed');
    expect((await rig.tables.get('jobs', { id }))?.['tenant']).toBeUndefined();
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished' });
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toMatchObject({ duplicate: false });
  });

  it('goes on when it was suspended because of its old tenant, and is stopped again when the new one is suspended too', async () => {
    const { rig, admin, ran } = stage();
    for (const tenant of ['acme', 'globex']) await admin.suspend({ tenant }, { reason: 'test' });
    const { id } = await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme' });
    await rig.drain();
    expect(await admin.changeTenant(id, 'globex')).toBe('changed');
    await rig.drain();
    expect(await rig.rows('suspended')).toMatchObject([{ id, cause: 'tenant#globex', tenant: 'globex' }]);
    expect(await admin.changeTenant(id, null)).toBe('changed');
    await rig.drain();
    expect(ran).toEqual([{ n: 1 }]);
  });

  it('dead: redrive takes its key as that of the new tenant', async () => {
    const { rig, admin, id } = await deadLetter({ tenant: 'acme', key: 'k' });
    expect(await admin.changeTenant(id, 'globex')).toBe('changed');
    await rig.client.enqueue(work, {}, { tenant: 'globex', key: 'k', delay: 'PT1H' });
    expect(await admin.redrive(id)).toBe('key-taken');
    expect(await admin.changeTenant(id, 'acme')).toBe('changed');
    expect(await admin.redrive(id)).toBe('redriven');
  });

  it('is not made of one that runs, belongs to a batch or waits for its schedule', async () => {
    const { rig, admin } = stage();
    await rig.client.enqueue(limited, { slow: true });
    const running = rig.deliver();
    await rig.settle();
    const [row] = await rig.rows('jobs');
    expect(await admin.changeTenant(String(row?.['id']), 'globex')).toBe('running');
    expect(await admin.editPayload(String(row?.['id']), {})).toBe('running');
    await rig.until(running, 1_000);
    expect(await admin.changeTenant(String(row?.['id']), 'globex')).toBe('finished');
    await admin.schedules.put(defineSchedule('daily', { job: work, payload: {}, cron: '0 4 * * *' }));
    const [timer] = await rig.rows('timers');
    expect(await admin.changeTenant(String(timer?.['id']), 'globex')).toBe('occurrence');
    await rig.client.enqueueBatch(work, [{}]);
    const [child] = await rig.rows('jobs');
    expect(await admin.changeTenant(String(child?.['id']), 'globex')).toBe('in-batch');
    await expect(admin.changeTenant(String(timer?.['id']), '')).rejects.toThrow('null for none');
  });
});

describe('a dead letter that holds a row which could not be read', () => {
  it('is not edited and not moved, which is said and not retried: it can only be deleted', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    const [row] = await rig.rows('jobs');
    await quarantine(rig.tables, 'jobs', row ?? {}, { error: new Error('damaged'), now: rig.clock.now() });
    const before = await rig.rows('deadLetters');
    expect(await admin.editPayload(id, { repaired: true })).toBe('unreadable');
    expect(await admin.changeTenant(id, 'globex')).toBe('unreadable');
    await rig.clock.advance(1_000);
    const report = await admin.bulk({ verb: 'change-tenant', tenant: 'globex' }, { state: 'dead', type: 'work' });
    expect(report).toMatchObject({ matched: 1, done: 0, failed: 0, leftAlone: { unreadable: 1 } });
    expect(await rig.rows('deadLetters')).toEqual(before);
    expect(await admin.delete(id)).toBe('deleted');
  });
});
