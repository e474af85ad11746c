import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import type { OnConflict, UniqueKeyOptions } from '../../shared/job/key-conflict.ts';
import { idKey } from '../../shared/store/rows.ts';
import { take } from '../support/faulty-rig.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H' });
const WAIT = { wait: 'PT1M', maxWait: 'PT3M' };

function key(onConflict: OnConflict, more: Partial<UniqueKeyOptions> = {}): { key: UniqueKeyOptions } {
  return { key: { value: 'k', onConflict, ...(onConflict === 'debounce' ? { debounce: WAIT } : {}), ...more } };
}

function stage(options: RigOptions = {}) {
  const ran: unknown[] = [];
  const handler = work.handle(({ payload, job }) => {
    ran.push(payload['n']);
    if (payload['fail'] === true && job.attempt === 1) throw new Error('no answer');
  });
  const rig = new Rig({ handlers: [handler], ...options });
  return { rig, ran, admin: createAdminOver(rig.deps), put: (n: number, options: object) => rig.client.enqueue(work, { n }, options) };
}

const REPLACING: readonly OnConflict[] = ['replace', 'keep-latest'];

describe.each(REPLACING)('an enqueue with onConflict %s', (mode) => {
  it('creates a job while the key is free', async () => {
    const { rig, ran, put } = stage();
    expect(await put(1, key(mode))).toMatchObject({ duplicate: false });
    await rig.drain();
    expect(await put(2, key(mode))).not.toHaveProperty('replaced');
    await rig.drain();
    expect(ran).toEqual([1, 2]);
  });

  it('gives a ready job the new payload under its id, in one write and without another message', async () => {
    const { rig, ran, put } = stage();
    const first = await put(1, key(mode));
    expect(await put(2, key(mode))).toEqual({ id: first.id, duplicate: false, replaced: true });
    expect(await rig.tables.get('jobs', idKey(first.id))).toMatchObject({ payload: '{"n":2}', rev: 2, dispatches: 1 });
    expect(await rig.deliver()).toBe(1);
    expect(ran).toEqual([2]);
    expect(rig.journal.count('replaced')).toBe(1);
  });

  it('sends a lost message again, however often the key is enqueued', async () => {
    const { rig, ran, put } = stage();
    await put(0, key(mode));
    for (const message of rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)) rig.hints.acknowledge(message);
    for (let n = 1; n <= 7; n++) {
      await rig.clock.advance(MINUTE);
      await put(n, key(mode));
      await rig.sweep();
    }
    await rig.drain();
    expect(ran).toEqual([7]);
  });

  it.each([
    ['a timer sooner', 'PT1H', 'PT10M'],
    ['a timer later', 'PT1H', 'PT5H'],
    ['a ready job later', 'PT0S', 'PT5H'],
    ['a delayed job sooner', 'PT10M', 'PT1M'],
    ['a delayed job later', 'PT1M', 'PT10M'],
  ])('runs %s, when the new options say', async (_name, before, after) => {
    const { rig, ran, put } = stage();
    const first = await put(1, { ...key(mode), delay: before });
    expect(await put(2, { ...key(mode), delay: after })).toMatchObject({ id: first.id, replaced: true });
    const dueAt = (await rig.client.get(first.id))?.dueAt.getTime() ?? 0;
    await rig.clock.advance(dueAt - SECOND - rig.clock.now());
    for (const step of [0, 2 * SECOND]) {
      await rig.clock.advance(step);
      await rig.fire();
      await rig.drain();
      expect(ran).toEqual(step === 0 ? [] : [2]);
    }
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('takes group, priority, retry and correlation from the new options, and fresh counters', async () => {
    const { rig, put } = stage();
    const { id } = await rig.client.enqueue(work, { fail: true }, { ...key(mode), group: 'a', correlationId: 'one' });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', failures: 1 });
    expect(await put(2, { ...key(mode), group: 'b', priority: 7, retry: 'PT5M' })).toMatchObject({ id, replaced: true });
    const row = await rig.tables.get('jobs', idKey(id));
    expect(row).toMatchObject({ group: 'b', priority: 7, failures: 0, starts: 0 });
    expect(row).not.toHaveProperty('correlationId');
    expect(row).not.toHaveProperty('errorName');
  });

  it('leaves a job that an operator stopped where it is, with the new payload', async () => {
    const { rig, ran, put, admin } = stage();
    const { id } = await put(1, key(mode));
    await admin.breakpoint(id, { reason: 'look first' });
    expect(await put(2, key(mode))).toMatchObject({ id, replaced: true });
    await rig.drain();
    expect(ran).toEqual([]);
    expect(await admin.find(id)).toMatchObject({ state: 'suspended', payload: '{"n":2}' });
    await admin.resumeJob(id);
    await rig.drain();
    expect(ran).toEqual([2]);
  });

  it('keeps the priority and the tries that an operator set', async () => {
    const { rig, put, admin } = stage();
    const { id } = await put(1, { ...key(mode), delay: 'PT1H' });
    await admin.setPriority(id, 9);
    await admin.setRetries(id, 5);
    await put(2, { ...key(mode), delay: 'PT1H', priority: 1 });
    expect(await rig.client.get(id)).toMatchObject({ priority: 9, payload: { n: 2 } });
    expect((await rig.rows('timers'))[0]).toMatchObject({ priorityFrom: 'set', triesLimit: 5 });
  });

  it('never takes a key that is held for a time', async () => {
    const { put } = stage();
    const first = await put(1, { key: { value: 'k', for: 'PT1H' } });
    expect(await put(2, key(mode))).toEqual({ id: first.id, duplicate: true });
  });

  it('frees the key of the job that it replaced once, when that job ends', async () => {
    const { rig, put } = stage();
    await put(1, key(mode));
    await put(2, key(mode));
    await rig.drain();
    expect(await rig.rows('control')).toEqual([]);
    expect(await put(3, key('reject'))).toMatchObject({ duplicate: false });
  });

  it('counts what it replaced as enqueued in enqueueMany', async () => {
    const { rig } = stage();
    const report = await rig.client.enqueueMany(work, [{ n: 1 }, { n: 2 }], { keyOf: () => key(mode).key });
    expect(report).toMatchObject({ enqueued: 2, duplicates: 0, failed: [] });
    expect(await rig.counts()).toMatchObject({ jobs: 1 });
  });
});

describe('a job that runs while another is enqueued with its key', () => {
  async function running(mode: OnConflict, more: object = {}) {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const handler = work.handle(async ({ payload, job }) => {
      seen.push(`${String(payload['n'])} attempt ${job.attempt}`);
      if (payload['n'] !== 1 || job.attempt > 1) return;
      begin();
      await held;
      if (payload['fail'] === true) throw new Error('no answer');
    });
    const rig = new Rig({ handlers: [handler] });
    const first = await rig.client.enqueue(work, { n: 1, ...more }, { key: { value: 'k' } });
    const run = rig.deliver();
    await began;
    const second = await rig.client.enqueue(work, { n: 2 }, key(mode));
    release();
    await run;
    return { rig, seen, first, second };
  }

  it.each<[OnConflict, string]>([
    ['replace', 'cancelled'],
    ['keep-latest', 'completed'],
    ['debounce', 'completed'],
  ])('%s creates the new job, which holds the key, and the one that runs ends as %s', async (mode, outcome) => {
    const { rig, seen, first, second } = await running(mode);
    expect(second).toEqual({ id: expect.not.stringMatching(first.id) as string, duplicate: false });
    expect(await rig.client.get(first.id)).toMatchObject({ state: 'finished', outcome });
    expect((await rig.rows('control')).filter(({ sk }) => sk === 'key')).toMatchObject([{ jobId: second.id }]);
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(seen).toEqual(['1 attempt 1', '2 attempt 1']);
    expect((await rig.rows('control')).filter(({ sk }) => sk === 'key')).toEqual([]);
  });

  it('is not tried again after replace, and says what replaced it', async () => {
    const { rig, first, second } = await running('replace', { fail: true });
    expect(await rig.client.get(first.id)).toMatchObject({ outcome: 'cancelled', cancelReason: `replaced by ${second.id}` });
    expect(await rig.counts()).toMatchObject({ timers: 0 });
  });

  it('is tried again after keep-latest', async () => {
    const { rig, seen } = await running('keep-latest', { fail: true });
    await rig.clock.advance(60 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(seen.toSorted()).toEqual(['1 attempt 1', '1 attempt 2', '2 attempt 1']);
  });

  it('may enqueue its own successor without being asked to stop', async () => {
    const ids: string[] = [];
    const handler = work.handle(async ({ payload }) => {
      if (payload['n'] === 1) ids.push((await rig.client.enqueue(work, { n: 2 }, key('replace'))).id);
    });
    const rig: Rig = new Rig({ handlers: [handler] });
    const first = await rig.client.enqueue(work, { n: 1 }, key('replace'));
    await rig.drain();
    expect(await rig.client.get(first.id)).toMatchObject({ outcome: 'completed' });
    expect(await rig.client.get(ids[0] ?? '')).toMatchObject({ outcome: 'completed' });
  });
});

describe('the holder of a key that waits for something', () => {
  it.each<OnConflict>(['replace', 'keep-latest', 'debounce'])('asks its limits anew where it was parked (%s)', async (mode) => {
    const wait = mode === 'debounce' ? MINUTE : 0;
    const perCustomer = defineLimit('per-customer', { concurrency: 1 }, { key: ({ customer }: { customer?: string }) => customer });
    const limited = defineJob('limited', { payload: anyPayload, limits: [perCustomer] });
    const ran: unknown[] = [];
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const handler = limited.handle(async ({ payload }) => {
      if (payload['hold'] === true) await held;
      else ran.push(payload['customer']);
    });
    const rig = new Rig({ handlers: [handler] });
    await rig.client.enqueue(limited, { customer: 'ada', hold: true });
    const first = rig.deliver();
    await rig.settle();
    const { id } = await rig.client.enqueue(limited, { customer: 'ada' }, key(mode));
    await rig.clock.advance(wait);
    await rig.deliver();
    expect(await rig.client.get(id)).toMatchObject({ state: 'parked' });
    expect(await rig.client.enqueue(limited, { customer: 'eve' }, key(mode))).toMatchObject({ id, replaced: true });
    await rig.clock.advance(wait);
    await rig.deliver();
    expect(ran).toEqual(['eve']);
    release();
    await first;
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('stays suspended through a debounce, and starts with the latest payload when it is resumed', async () => {
    const { rig, ran, put, admin } = stage();
    const { id } = await put(1, key('debounce'));
    await admin.breakpoint(id, { reason: 'look first' });
    expect(await put(2, key('debounce'))).toMatchObject({ id, replaced: true });
    await rig.clock.advance(5 * MINUTE);
    await rig.drain();
    expect(await admin.find(id)).toMatchObject({ state: 'suspended', payload: '{"n":2}' });
    await admin.resumeJob(id);
    await rig.drain();
    expect(ran).toEqual([2]);
  });

  it('stays in its batch when it is replaced', async () => {
    const { rig, ran, put } = stage();
    const batch = await rig.client.createBatch();
    const { id } = await batch.enqueue(work, { n: 1 }, { key: 'k' });
    await batch.seal();
    expect(await put(2, key('replace'))).toMatchObject({ id, replaced: true });
    expect(await rig.client.get(id)).toMatchObject({ batch: batch.id, payload: { n: 2 } });
    await rig.drain();
    expect(ran).toEqual([2]);
    expect(await rig.client.batch(batch.id)).toMatchObject({ state: 'finished', total: 1, succeeded: 1 });
  });

  it('is resumed if its old group was suspended and the new one is not', async () => {
    const { rig, ran, put, admin } = stage();
    await admin.suspend({ group: 'a' }, { reason: 'audit' });
    const { id } = await put(1, { ...key('replace'), group: 'a' });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended' });
    expect(await put(2, { ...key('replace'), group: 'a' })).toMatchObject({ id, replaced: true });
    expect(await rig.client.get(id)).toMatchObject({ state: 'suspended', payload: { n: 2 } });
    expect(await put(3, { ...key('replace'), group: 'b' })).toMatchObject({ id, replaced: true });
    await rig.drain();
    expect(ran).toEqual([3]);
  });

  it('keeps the mark that it may have killed a process', async () => {
    const { rig, put } = stage();
    const { id } = await put(1, key('replace'));
    await take(rig, id);
    await rig.clock.advance(60 * MINUTE);
    await rig.sweep();
    expect((await rig.tables.get('jobs', idKey(id)))?.['lockOwner']).toMatch(/alone/);
    await put(2, { ...key('replace'), delay: 'PT5H' });
    expect((await rig.rows('timers'))[0]).toMatchObject({ alone: true, crashes: 0 });
  });
});
