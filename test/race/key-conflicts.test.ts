import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import type { UniqueKeyOptions } from '../../shared/job/key-conflict.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { complete } from '../../shared/store/complete.ts';
import { idKey } from '../../shared/store/rows.ts';
import { runAgain } from '../../shared/store/run-again.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { type Aim, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';

const HOUR = 3_600_000;
const work = defineJob('work', { payload: anyPayload });
const replace: UniqueKeyOptions = { value: 'k', onConflict: 'replace' };
const keepLatest: UniqueKeyOptions = { value: 'k', onConflict: 'keep-latest' };

/** Every transaction that an enqueue with a held key makes. */
const anyTransaction: Aim = (writes) => writes.some(({ table }) => table === 'jobs' || table === 'timers');

const keys = async (rig: Rig) => (await rig.rows('control')).filter(({ sk }) => sk === 'key').map(({ jobId }) => jobId);

describe('an enqueue that replaces the holder of its key', () => {
  it('finds that the job was claimed in between, and gives the key to a new job', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
    rig.faults.before(anyTransaction, () => take(rig, first.id));
    const second = await rig.client.enqueue(work, { n: 2 }, { key: keepLatest });
    expect(second.id).not.toBe(first.id);
    expect(await rig.tables.get('jobs', idKey(first.id))).toMatchObject({ payload: '{"n":1}' });
    expect(await keys(rig)).toEqual([second.id]);
  });

  it('finds that the job was edited in between, and writes over what it has seen, not over what it has not', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k', priority: 1 });
    rig.faults.before(anyTransaction, () => createAdminOver(rig.deps).setPriority(first.id, 9));
    expect(await rig.client.enqueue(work, { n: 2 }, { key: replace })).toMatchObject({ id: first.id, replaced: true });
    expect(await rig.client.get(first.id)).toMatchObject({ payload: { n: 2 }, priority: 9 });
  });

  it('finds that the timer was fired in between, and replaces the job where it lies now', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k', delay: 'PT1H' });
    await rig.clock.advance(HOUR);
    rig.faults.before(anyTransaction, () => rig.fire());
    expect(await rig.client.enqueue(work, { n: 2 }, { key: replace })).toMatchObject({ id: first.id, replaced: true });
    expect(await rig.counts()).toMatchObject({ jobs: 1, timers: 0 });
    expect(await rig.client.get(first.id)).toMatchObject({ state: 'ready', payload: { n: 2 } });
  });

  it('finds that the job was cancelled in between, and creates a new one', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
    rig.faults.before(anyTransaction, () => rig.client.cancel(first.id));
    const second = await rig.client.enqueue(work, { n: 2 }, { key: replace });
    expect(second).toEqual({ id: second.id, duplicate: false });
    expect(await rig.client.get(first.id)).toMatchObject({ outcome: 'cancelled' });
    expect(await keys(rig)).toEqual([second.id]);
  });

  it.each([replace, keepLatest])('finds that the run ended in between, and takes the free key ($onConflict)', async (key) => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
    const running = await take(rig, first.id);
    rig.faults.before(anyTransaction, () => complete(rig.tables, running, { now: () => rig.clock.now() }));
    const second = await rig.client.enqueue(work, { n: 2 }, { key });
    expect(await rig.counts()).toMatchObject({ jobs: 1 });
    expect(await keys(rig)).toEqual([second.id]);
  });

  it('of two at once leaves one job, and tells each what it did', async () => {
    const rig = faultyRig();
    const answers = await Promise.all([1, 2, 3, 4].map((n) => rig.client.enqueue(work, { n }, { key: replace })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replaced }) => replaced === true)).toHaveLength(3);
    expect(await rig.counts()).toMatchObject({ jobs: 1 });
    expect((await rig.rows('jobs'))[0]).toMatchObject({ rev: 4 });
  });

  it('leaves a holder alone whose row cannot be read', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(first.id), set: { dueAt: 'soon' } });
    expect(await rig.client.enqueue(work, { n: 2 }, { key: replace })).toEqual({ id: first.id, duplicate: true });
  });

  it('replaces once when the reply is lost', async () => {
    const rig = faultyRig();
    const first = await rig.client.enqueue(work, { n: 1 }, { key: 'k' });
    rig.faults.next(anyTransaction, 'lost-reply');
    const again = await rig.client.enqueue(work, { n: 2 }, { key: replace });
    expect(again).toMatchObject({ id: first.id, replaced: true });
    expect(await rig.tables.get('jobs', idKey(first.id))).toMatchObject({ payload: '{"n":2}', rev: 2 });
  });
});

describe('a verb that has read who holds a key', () => {
  /** The key passes from a job that runs to another one, and the first job comes back to the queue, before the next verb looks for it. */
  async function passedOn() {
    const clock = new SettableClock();
    const { tables: inner } = faultyTables(rigTables(clock));
    const [first, second] = [{ id: '' }, { id: '' }];
    let meanwhile: (() => Promise<void>) | undefined;
    const get: Tables['get'] = async (table, key) => {
      const pass = key['id'] === first.id ? meanwhile : undefined;
      if (pass !== undefined) {
        meanwhile = undefined;
        await pass();
      }
      return inner.get(table, key);
    };
    const rig = new Rig({ clock, tables: { ...inner, get } });
    first.id = (await rig.client.enqueue(work, { n: 1 }, { key: 'k' })).id;
    const running = await take(rig, first.id);
    meanwhile = async () => {
      second.id = (await rig.client.enqueue(work, { n: 2 }, { key: keepLatest })).id;
      const terms = { token: rig.deps.entropy.token(), now: clock.now(), redispatchAfterMs: HOUR };
      await runAgain(inner, running, {}, terms);
    };
    return { rig, first, second };
  }

  it('replaces the job that holds it by then', async () => {
    const { rig, first, second } = await passedOn();
    const third = await rig.client.enqueue(work, { n: 3 }, { key: keepLatest });
    expect(third).toEqual({ id: second.id, duplicate: false, replaced: true });
    expect(await rig.client.get(first.id)).toMatchObject({ state: 'ready', payload: { n: 1 } });
    expect(await keys(rig)).toEqual([second.id]);
  });

  it('cancels the job that holds it by then', async () => {
    const { rig, first, second } = await passedOn();
    const { outcome, id } = await rig.client.cancelByKey(work, 'k');
    expect({ outcome, id }).toEqual({ outcome: 'cancelled', id: second.id });
    expect(await rig.client.get(first.id)).toMatchObject({ state: 'ready' });
  });
});
