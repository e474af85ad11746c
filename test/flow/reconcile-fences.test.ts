import { describe, expect, it } from 'vitest';
import type { ReconcileOptions } from '../../operate/reconcile/reconcile.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { iso } from '../../shared/job/instant.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { Row, Write } from '../../shared/ports/tables.ts';
import { batchLeafKey, movedKey } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { controlOf, kindsOf, narrow, only, put, remove, repairs, type Restored, restoredRig, work } from '../support/restored-rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COPIES = { jobs: 'early-jobs', timers: 'early-timers' };

const keyRow = async (rig: Restored): Promise<Row> => (await controlOf(rig, 'key#'))[0] ?? {};
const dropKey = async (rig: Restored): Promise<void> => {
  const { pk, sk } = await keyRow(rig);
  await remove(rig, 'control', { pk: String(pk), sk: String(sk) });
};
const dropTimer = async (rig: Restored, row: Row): Promise<void> =>
  remove(rig, 'timers', { shard: String(row['shard']), due: String(row['due']) });
const writing =
  (pk: string) =>
  (writes: readonly Write[]): boolean =>
    writes.some((write) => write.table === 'control' && 'key' in write && String(write.key['pk']).startsWith(pk)) ||
    writes.some((write) => write.op === 'put' && write.table === 'control' && String(write.row['pk']).startsWith(pk));

/** Applies, while somebody else is faster: nothing is repaired. */
async function lost(
  rig: Restored,
  [kind, options]: readonly [string, ReconcileOptions?],
  aim: (writes: readonly Write[]) => boolean,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  rig.faults.before(aim, meanwhile);
  expect(await kindsOf(rig, { ...options, apply: true })).toMatchObject({ [kind]: '1 changed' });
  expect(rig.faults.pending()).toBe(0);
}

describe('a repair that another process was faster than writes nothing', () => {
  it('the row that stays was written again', async () => {
    const rig = restoredRig();
    await rig.client.enqueue(work, {}, { delay: 20 * MINUTE });
    const timer = await only(rig, 'timers');
    await rig.clock.advance(16 * MINUTE);
    await rig.fire();
    await put(rig, 'timers', timer);
    const ready = await only(rig, 'jobs');
    await lost(rig, ['two-places'], aimAt('delete', 'timers'), async () => put(rig, 'jobs', { ...ready, rev: Number(ready['rev']) + 5 }));
    expect(await rig.rows('timers')).toHaveLength(1);
  });

  it('the key of a finished job, of a job that lacks it, and of a job that is gone is taken by another', async () => {
    const rig = restoredRig();
    const living = await rig.client.enqueue(work, {}, { delay: HOUR });
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    const [ready, key] = [await only(rig, 'jobs'), await keyRow(rig)];
    await rig.drain();
    await put(rig, 'jobs', ready);
    await put(rig, 'control', key);
    const other = async (): Promise<void> => put(rig, 'control', { ...key, jobId: living.id });
    await lost(rig, ['finished-again'], aimAt('delete', 'jobs'), other);
    expect((await keyRow(rig))['jobId']).toBe(living.id);
    await remove(rig, 'jobs', idKey(id));
    await put(rig, 'control', { ...key, jobId: rig.client.newId() });
    await lost(rig, ['key-orphan'], aimAt('delete', 'control'), other);
    expect((await keyRow(rig))['jobId']).toBe(living.id);
    await dropKey(rig);
    await rig.client.enqueue(work, {}, { key: 'k', delay: HOUR });
    await dropKey(rig);
    await lost(rig, ['key-missing'], writing('key#'), other);
    expect((await keyRow(rig))['jobId']).toBe(living.id);
  });

  it('a pointer is written, for a timer that lacked it and for one that is put back', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.client.reschedule(id, { delay: 2 * HOUR });
    const timer = await only(rig, 'timers');
    const pointer = (await rig.tables.get('control', movedKey(id))) ?? {};
    const elsewhere = { ...pointer, due: `${iso(rig.clock.now() + 5 * HOUR)}#${id}` };
    await remove(rig, 'control', movedKey(id));
    await lost(rig, ['unreachable-timer'], writing('moved#'), async () => put(rig, 'control', elsewhere));
    await rig.copy.putAll('timers', [timer]);
    await dropTimer(rig, timer);
    await remove(rig, 'control', movedKey(id));
    await lost(rig, ['job-missing', { copies: COPIES }], writing('moved#'), async () => put(rig, 'control', elsewhere));
    await remove(rig, 'control', movedKey(id));
    const plain = await rig.client.enqueue(work, {}, { delay: HOUR });
    const first = (await rig.rows('timers'))[0] ?? {};
    await rig.copy.putAll('timers', [first]);
    await dropTimer(rig, first);
    const moved = { ...movedKey(plain.id), due: `${iso(rig.clock.now() + 5 * HOUR)}#${plain.id}` };
    const aim = (writes: readonly Write[]): boolean =>
      writes.some((write) => write.op === 'check' && write.key['pk'] === movedKey(plain.id)['pk']);
    rig.faults.before(aim, async () => put(rig, 'control', moved));
    expect(await kindsOf(rig, { copies: COPIES, apply: true })).toEqual({ 'job-missing': '1 repaired, 1 changed' });
  });

  it('a pointer or a key that was there is another one by then', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    await rig.client.reschedule(id, { delay: 2 * HOUR });
    const timer = await only(rig, 'timers');
    const to = async (hours: number): Promise<void> =>
      put(rig, 'control', { ...movedKey(id), due: `${iso(rig.clock.now() + hours * HOUR)}#${id}` });
    await to(5);
    await lost(rig, ['unreachable-timer'], writing('moved#'), async () => to(6));
    await dropTimer(rig, timer);
    await rig.copy.putAll('timers', [timer]);
    await lost(rig, ['job-missing', { copies: COPIES }], writing('moved#'), async () => to(7));
    await rig.copy.putAll('jobs', [{ ...timer, lockOwner: 'queue/0/x', lockExpiresAt: iso(rig.clock.now()) }]);
    const copies = { jobs: 'early-jobs' };
    await lost(rig, ['job-missing', { copies }], writing('moved#'), async () => to(8));
    const keyed = await rig.client.enqueue(work, {}, { delay: HOUR, key: 'k' });
    const ended = await rig.client.enqueue(work, {});
    await rig.drain();
    const key = await keyRow(rig);
    await put(rig, 'control', { ...key, jobId: ended.id });
    await lost(rig, ['key-missing'], writing('key#'), async () => put(rig, 'control', { ...key, jobId: keyed.id }));
    expect((await keyRow(rig))['jobId']).toBe(keyed.id);
  });

  it('a parked job and a callback become ready', async () => {
    const rig = restoredRig({ history: 'outcome' });
    const { id } = await rig.client.enqueue(narrow, {});
    const row = await only(rig, 'jobs');
    const at = `${iso(rig.clock.now())}#${id}`;
    await put(rig, 'timers', { ...row, shard: 'limit#gone', due: at, rev: 7 });
    await put(rig, 'control', { ...movedKey(id), shard: 'limit#gone', due: at });
    await remove(rig, 'jobs', idKey(id));
    await lost(rig, ['parked-unlisted'], aimAt('put', 'jobs'), async () => put(rig, 'jobs', { ...row, rev: 9 }));
    expect(await only(rig, 'jobs')).toMatchObject({ rev: 9 });
    await remove(rig, 'jobs', idKey(id));
    await remove(rig, 'timers', { shard: 'limit#gone', due: at });
    await rig.client.enqueueBatch(work, [{}], { onCompleted: followUp(narrow, {}) });
    await rig.deliver();
    const callback = await only(rig, 'jobs');
    await remove(rig, 'jobs', idKey(String(callback['id'])));
    const restoredTo = iso(rig.clock.now() + 30_000);
    await lost(rig, ['callback-missing', { restoredTo }], aimAt('put', 'jobs'), async () => put(rig, 'jobs', { ...callback, rev: 9 }));
    expect(await only(rig, 'jobs')).toMatchObject({ rev: 9 });
  });

  it.each([0, 3])('leaf %i of a batch counts something else, or the batch is finished', async (leaf) => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueueBatch(work, [{}, {}], { onCompleted: followUp(narrow, {}) });
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, leaf), set: {}, add: { succeeded: 1 } });
    const count = async (): Promise<unknown> =>
      rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, leaf), set: {}, add: { succeeded: 1 } });
    const correction = (writes: readonly Write[]): boolean =>
      writes.some((write) => write.op === 'update' && 'cancelled' in (write.add ?? {}));
    await lost(rig, ['batch-counts'], correction, count);
    expect(await rig.client.batch(id)).toMatchObject({ total: 2, succeeded: 2 });
    const two = await rig.client.enqueueBatch(work, [{}]);
    await remove(rig, 'control', { pk: 'batches', sk: two.id });
    const [key, now] = [{ pk: `batch#${two.id}`, sk: 'head' }, rig.clock.now()];
    const finish = async (at: number): Promise<unknown> =>
      rig.tables.write({ op: 'update', table: 'control', key, set: { finishedAt: iso(at) } });
    await finish(now);
    await lost(rig, ['batch-unlisted'], writing('batches'), async () => finish(now + 1));
  });

  it('the sweeper repairs a schedule: nothing is in the audit', async () => {
    const rig = restoredRig();
    await rig.admin.schedules.put(defineSchedule('often', { job: work, payload: {}, every: 'PT10M' }));
    await dropTimer(rig, await only(rig, 'timers'));
    const row = (await controlOf(rig, 'schedule#'))[0] ?? {};
    const touch = async (): Promise<void> => put(rig, 'control', { ...row, rev: Number(row['rev']) + 1 });
    await lost(rig, ['schedule-stalled'], writing('schedule#'), touch);
    expect((await rig.admin.audit()).filter(({ verb }) => verb === 'reconcile')).toEqual([]);
  });
});

describe('a repair', () => {
  it('makes jobs ready with tokens and leases of their own, and sends their hints', async () => {
    const rig = restoredRig();
    await rig.client.enqueueMany(work, [{}, {}]);
    await rig.copy.putAll('jobs', await rig.rows('jobs'));
    for (const { id } of await rig.rows('jobs')) await remove(rig, 'jobs', idKey(String(id)));
    rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10).forEach((hint) => rig.hints.acknowledge(hint));
    expect(await kindsOf(rig, { copies: COPIES, apply: true })).toEqual({ 'job-missing': '2 repaired' });
    const rows = await rig.rows('jobs');
    expect(new Set(rows.map(({ lockOwner }) => lockOwner)).size).toBe(2);
    expect(rows.map(({ lockOwner }) => String(lockOwner)).filter((owner) => owner.length < 20)).toEqual([]);
    expect(rows.map(({ lockExpiresAt }) => lockExpiresAt)).toEqual(Array.from({ length: 2 }, () => iso(rig.clock.now() + 2 * MINUTE)));
    await rig.drain();
    expect(rig.ran).toHaveLength(2);
  });

  it('of two rows with one revision keeps that in Jobs', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR });
    const timer = await only(rig, 'timers');
    await put(rig, 'suspended', { ...timer, cause: 'breakpoint' });
    await repairs(rig, 'two-places');
    expect(await rig.rows('suspended')).toEqual([]);
    await put(rig, 'jobs', { ...timer, lockOwner: 'queue/0/x', lockExpiresAt: iso(rig.clock.now() + HOUR) });
    await repairs(rig, 'two-places');
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
  });

  it('takes a key over that has expired', async () => {
    const rig = restoredRig();
    await rig.client.enqueue(work, {}, { key: 'k', delay: HOUR });
    await put(rig, 'control', { ...(await keyRow(rig)), jobId: rig.client.newId(), until: iso(rig.clock.now() - 1) });
    await repairs(rig, 'key-missing');
    expect((await keyRow(rig))['until']).toBeUndefined();
  });

  it('does not count a timer that cannot be found as missing, nor its key as free', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueue(work, {}, { delay: HOUR, key: 'k' });
    await rig.client.reschedule(id, { delay: 2 * HOUR });
    await rig.copy.putAll('timers', await rig.rows('timers'));
    await remove(rig, 'control', movedKey(id));
    await repairs(rig, 'unreachable-timer', { copies: COPIES });
    expect((await keyRow(rig))['jobId']).toBe(id);
  });

  it('lists a batch each time with another mark, so that who takes it off the list has seen it', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueueBatch(work, [{}]);
    const marks: unknown[] = [];
    for (let n = 0; n < 2; n++) {
      await remove(rig, 'control', { pk: 'batches', sk: id });
      expect(await kindsOf(rig, { apply: true })).toEqual({ 'batch-unlisted': '1 repaired' });
      marks.push((await rig.tables.get('control', { pk: 'batches', sk: id }))?.['revived']);
    }
    expect(new Set(marks).size).toBe(2);
  });

  it('counts a batch within a batch as long as that has not told its end', async () => {
    const rig = restoredRig();
    const parent = await rig.client.createBatch();
    const inner = await rig.client.createBatch({ parent: parent.id });
    await inner.enqueue(work, {}, { delay: HOUR });
    for (const batch of [inner, parent]) await batch.seal();
    expect(await kindsOf(rig)).toEqual({});
  });

  it('ends a batch of which every job is gone, and says what it saw', async () => {
    const rig = restoredRig();
    const { id } = await rig.client.enqueueBatch(work, [{}, {}, {}]);
    for (const row of await rig.rows('jobs')) await remove(rig, 'jobs', idKey(String(row['id'])));
    await rig.tables.write({ op: 'update', table: 'control', key: batchLeafKey(id, 0), set: {}, add: { failed: 1, cancelled: 1 } });
    const { findings } = await rig.admin.reconcile({ apply: true });
    expect(findings[0]?.examples[0]?.says).toBe('3 jobs, of which 0 live and 2 are counted as ended');
    expect(await rig.client.batch(id)).toMatchObject({ failed: 1, cancelled: 2 });
  });
});
