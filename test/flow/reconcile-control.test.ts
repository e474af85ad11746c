import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { ReconcileOptions, ReconcileReport } from '../../operate/reconcile/reconcile.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { Tables, Write } from '../../shared/ports/tables.ts';
import { batchLeafKey, heartbeatKey, uniqueKeyKey } from '../../shared/store/control-rows.ts';
import { writeHeartbeat } from '../../shared/store/heartbeat.ts';
import { idKey } from '../../shared/store/rows.ts';
import { take } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { controlOf, kindsOf, narrow, only, put, remove, repairs, type Restored, restoredRig, work } from '../support/restored-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a unique key', () => {
  it('is taken again by the job that lost it, also from one that has ended', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', delay: HOUR });
    const [key = {}] = await controlOf(rig, 'key#');
    await remove(rig, 'control', { pk: String(key['pk']), sk: String(key['sk']) });
    await repairs(rig, 'key-missing');
    const ended = await rig.client.enqueue(work, {});
    await rig.drain();
    await put(rig, 'control', { ...key, jobId: ended.id });
    await repairs(rig, 'key-missing');
    expect((await controlOf(rig, 'key#'))[0]).toMatchObject({ jobId: id });
  });

  it('of two living jobs is left to an operator', async () => {
    const rig = restoredRig();
    const one = await rig.client.enqueue(work, {}, { key: 'k', delay: HOUR });
    const [key = {}] = await controlOf(rig, 'key#');
    await remove(rig, 'control', { pk: String(key['pk']), sk: String(key['sk']) });
    await rig.client.enqueue(work, {}, { key: 'k', delay: 2 * HOUR });
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'key-contested': '1 left' });
    expect((await rig.client.get(one.id))?.state).toBe('waiting');
  });

  it.each(['replace', 'keep-latest'] as const)('is not given back to a running job that lost it to another: %s', async (onConflict) => {
    const rig = restoredRig();
    const first = await rig.client.enqueue(work, {}, { key: 'k' });
    await take(rig, first.id);
    const second = await rig.client.enqueue(work, {}, { key: { value: 'k', onConflict } });
    expect(second.id).not.toBe(first.id);
    expect(await kindsOf(rig, { apply: true })).toEqual({});
    await rig.client.cancel(second.id);
    expect(await kindsOf(rig, { apply: true })).toEqual({});
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toMatchObject({ duplicate: false });
  });

  it('is not given back to a job that was asked to stop and whose executor died', async () => {
    const rig = restoredRig();
    const first = await rig.client.enqueue(work, {}, { key: 'k' });
    await take(rig, first.id);
    const second = await rig.client.enqueue(work, {}, { key: { value: 'k', onConflict: 'replace' } });
    await rig.client.cancel(second.id);
    await rig.clock.advance(HOUR);
    expect(await kindsOf(rig, { apply: true })).toEqual({});
  });

  it('of a job that is gone, finished or dead is freed, unless the job comes back or the key lasts for a stated time', async () => {
    const rig = restoredRig();
    const dead = await rig.client.enqueue(work, { fail: true }, { key: 'dead' });
    const [held = {}] = await controlOf(rig, 'key#');
    await rig.drain();
    await put(rig, 'control', held);
    rig.faults.before(aimAt('delete', 'control'), async () => rig.admin.redrive(dead.id));
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'key-orphan': '1 changed' });
    expect(await kindsOf(rig)).toEqual({});
    await rig.drain();
    await put(rig, 'control', held);
    await put(rig, 'control', { ...uniqueKeyKey('finished'), jobId: (await rig.client.enqueue(work, {}, { id: rig.client.newId() })).id });
    await put(rig, 'control', { ...uniqueKeyKey('nobody'), jobId: rig.client.newId() });
    await put(rig, 'control', { ...uniqueKeyKey('unreadable'), jobId: 7 });
    await put(rig, 'control', { ...uniqueKeyKey('timed'), jobId: rig.client.newId(), until: iso(rig.clock.now() + HOUR) });
    await rig.drain();
    await repairs(rig, 'key-orphan', {}, 4);
    expect((await controlOf(rig, 'key#')).map(({ pk }) => pk)).toEqual(['key#timed']);
  });
});

describe('a schedule', () => {
  it.each(['nowhere', 'finished'])('goes on when its next occurrence is %s', async (how) => {
    const rig = restoredRig();
    await rig.admin.schedules.put(defineSchedule('often', { job: work, payload: {}, every: 'PT10M' }));
    const [schedule] = (await controlOf(rig, 'schedule#')).filter(({ sk }) => sk === 'often');
    const timer = await only(rig, 'timers');
    if (how === 'nowhere') await remove(rig, 'timers', { shard: String(timer['shard']), due: String(timer['due']) });
    else {
      await rig.clock.advance(10 * MINUTE);
      await rig.fire();
      await rig.drain();
      await put(rig, 'control', schedule);
    }
    await repairs(rig, 'schedule-stalled');
    const ran = rig.ran.length;
    await rig.clock.advance(10 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(rig.ran.length).toBe(ran + 1);
    expect(new Set(rig.ran).size).toBe(rig.ran.length);
  });
});

/** A batch of four jobs, of which one succeeded, one died and two wait. */
async function batchOfFour(rig: Restored): Promise<string> {
  const batch = await rig.client.createBatch({ onCompleted: followUp(narrow, {}), maxFailures: 4 });
  for (const fail of [false, true]) await batch.enqueue(work, { fail });
  for (let n = 0; n < 2; n++) await batch.enqueue(work, {}, { delay: HOUR });
  await batch.seal();
  await rig.drain();
  return batch.id;
}

describe('a batch', () => {
  const COUNTS = { total: 4, succeeded: 1, failed: 1, cancelled: 0 };

  it('counts what ended without being counted as failed or, where nothing tells, as cancelled, and ends', async () => {
    const rig = restoredRig();
    const id = await batchOfFour(rig);
    expect(await rig.client.batch(id)).toMatchObject(COUNTS);
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 3), set: {}, add: { failed: -1, succeeded: -1 } });
    await repairs(rig, 'batch-counts');
    expect(await rig.client.batch(id)).toMatchObject({ total: 4, succeeded: 0, failed: 1, cancelled: 1 });
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished', outcome: 'cancelled', succeeded: 2 });
  });

  it('takes back what is counted as ended and lives, and is listed again', async () => {
    const rig = restoredRig();
    const id = await batchOfFour(rig);
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 3), set: {}, add: { succeeded: 2 } });
    await remove(rig, 'control', { pk: 'batches', sk: id });
    await rig.sweep();
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'batch-unlisted': '1 repaired', 'batch-counts': '1 left' });
    await rig.clock.advance(6 * MINUTE);
    await repairs(rig, 'batch-counts');
    expect(await rig.client.batch(id)).toMatchObject(COUNTS);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.drain();
    expect(await rig.client.batch(id)).toMatchObject({ state: 'finished', succeeded: 3, failed: 1 });
  });

  it('is left alone while the deployment runs, while a job of it moves, and when a counter changes', async () => {
    const rig = restoredRig();
    const id = await batchOfFour(rig);
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 3), set: {}, add: { succeeded: 1 } });
    await writeHeartbeat(rig.tables, 'sweeper', rig.clock.now(), {});
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'batch-counts': '1 left' });
    await remove(rig, 'control', heartbeatKey('sweeper'));
    rig.faults.before(isCorrection, async () =>
      rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 5), set: {}, add: { succeeded: 1, total: 1 } }),
    );
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'batch-counts': '1 changed' });
    expect(rig.faults.pending()).toBe(0);
  });

  it('is left alone until a sweeper of the interval that is set would have run', async () => {
    const rig = restoredRig({ settings: { sweeperIntervalMs: 10 * MINUTE } });
    const id = await batchOfFour(rig);
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 3), set: {}, add: { succeeded: 1 } });
    await writeHeartbeat(rig.tables, 'sweeper', rig.clock.now(), {});
    await rig.clock.advance(13 * MINUTE);
    const { findings } = await rig.admin.reconcile({ apply: true });
    expect(JSON.stringify(findings)).toMatch(/batch-counts.*wait 14 minutes/);
    await rig.clock.advance(2 * MINUTE);
    await repairs(rig, 'batch-counts');
  });

  it('is compared with jobs as they are: an eventually consistent answer could be the same old one twice', async () => {
    const rig = restoredRig();
    await batchOfFour(rig);
    const asked: (boolean | undefined)[] = [];
    const scan: Tables['scan'] = async (one) => {
      if (one.filter?.test === 'present') asked.push(one.consistent);
      return rig.tables.scan(one);
    };
    await createAdminOver({ ...rig.deps, tables: { ...rig.tables, scan } }).reconcile();
    expect(asked).toEqual(Array.from({ length: 8 }, () => true));
  });

  it('that is gone is told of, and its jobs run', async () => {
    const rig = restoredRig();
    const id = await batchOfFour(rig);
    for (const row of await controlOf(rig, `batch#${id}`)) await remove(rig, 'control', { pk: String(row['pk']), sk: String(row['sk']) });
    await remove(rig, 'control', { pk: 'batches', sk: id });
    expect(await kindsOf(rig, { apply: true })).toEqual({ 'batch-gone': '1 left' });
  });

  it('enqueues a callback again that was enqueued in the last minute and is nowhere, and no older one', async () => {
    const rig = restoredRig({ history: 'outcome' });
    const id = await batchOfFour(rig);
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.deliver();
    const callback = (await rig.rows('jobs')).find(({ type }) => type === 'narrow') ?? {};
    expect(callback).toMatchObject({ callbackOf: id });
    const restoredTo = iso(rig.clock.now());
    expect(await kindsOf(rig, { restoredTo })).toEqual({});
    await remove(rig, 'jobs', idKey(String(callback['id'])));
    expect(await kindsOf(rig)).toEqual({});
    expect(await kindsOf(rig, { restoredTo: iso(rig.clock.now() + 2 * MINUTE) })).toEqual({});
    await repairs(rig, 'callback-missing', { restoredTo });
    await rig.drain();
    expect(rig.ran).toContain(callback['id']);
    expect(await kindsOf(rig, { restoredTo })).toEqual({});
  });
});

const isCorrection = (writes: readonly Write[]): boolean =>
  writes.some((write) => write.op === 'update' && write.table === 'control' && 'cancelled' in (write.add ?? {}));

describe('a run', () => {
  it('stops after so many rows, goes on where it stopped, and keeps to its rate', async () => {
    const rig = restoredRig();
    for (let n = 0; n < 3; n++) await rig.client.enqueue(work, {}, { delay: HOUR + n * MINUTE });
    await rig.client.enqueue(work, {});
    const began = rig.clock.now();
    let [after, rows, calls]: [string | undefined, number, number] = [undefined, 0, 0];
    do {
      const report: ReconcileReport = await rig.until(
        rig.admin.reconcile({ maxRows: 1, ratePerSecond: 2, ...(after === undefined ? {} : { after }) }),
      );
      rows += report.rows;
      calls++;
      after = report.next;
    } while (after !== undefined);
    expect([rows >= 4, calls > 2, rig.clock.now() - began]).toEqual([true, true, expect.any(Number)]);
    expect(rig.clock.now() - began).toBeGreaterThan(1_400);
  });

  it('stops at the end of a page when its signal is aborted', async () => {
    const rig = restoredRig();
    expect(await rig.admin.reconcile({ signal: AbortSignal.abort() })).toMatchObject({ rows: 0, next: expect.any(String) });
  });

  it('counts rows for which the store did not answer, and goes on with the others', async () => {
    const rig = restoredRig();
    const [one] = [await rig.client.enqueue(work, {}), await rig.client.enqueue(work, {})];
    rig.faults.unreadable((read) => read.op === 'get' && read.table === 'suspended' && read.key['id'] === one.id);
    expect(await rig.admin.reconcile()).toMatchObject({ failed: 1, findings: [] });
    expect(rig.journal.count('store-failed')).toBe(1);
  });

  it.each([
    [{ apply: 'yes' }, 'apply'],
    [{ aply: true }, 'options'],
    [{ copies: { control: 'x' } }, 'copies'],
    [{ copies: { jobs: '' } }, 'copies.jobs'],
    [{ ratePerSecond: 0 }, 'ratePerSecond'],
    [{ maxRows: Number.NaN }, 'maxRows'],
    [{ after: 'nonsense' }, 'after'],
    [{ after: Buffer.from('{"step":"timers","cursor":{"a":1}}').toString('base64url') }, 'after'],
    [{ restoredTo: 'yesterday' }, 'restoredTo'],
  ])('refuses %j, naming %s', async (options, field) => {
    const rig = restoredRig();
    await expect(rig.admin.reconcile(options as ReconcileOptions)).rejects.toMatchObject({ field });
    await expect(rig.admin.reconcile(options as ReconcileOptions)).rejects.toBeInstanceOf(InvalidInputError);
  });

  it('refuses copies where it reaches no other tables', async () => {
    const rig = restoredRig();
    await expect(createAdminOver(rig.deps).reconcile({ copies: { jobs: 'x' } })).rejects.toMatchObject({ field: 'copies.jobs' });
  });
});
