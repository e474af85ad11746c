import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { hasHappened } from '../../operate/bulk/act-on-job.ts';
import { defineJob } from '../../shared/index.ts';
import { quarantine } from '../../shared/store/quarantine.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { idKey } from '../../shared/store/rows.ts';
import { Rig } from '../support/rig.ts';
import { severedTables } from '../support/severed-tables.ts';
import { noting, work } from '../support/two-operators.ts';

const other = defineJob('other', { payload: z.unknown() });
const strict = defineJob('strict', { payload: z.object({ order: z.object({ count: z.number() }), note: z.optional(z.string()) }) });

function stage(): { rig: Rig; ran: unknown[]; admin: Admin; at: (id: string) => Promise<Readonly<Record<string, unknown>> | undefined> } {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [noting(ran), other.handle(() => {}), strict.handle(() => {})] });
  const at = async (id: string) => [...(await rig.rows('jobs')), ...(await rig.rows('deadLetters'))].find((row) => row['id'] === id);
  return { rig, ran, at, admin: createAdminOver({ ...rig.deps, jobTypes: new Map([[strict.name, strict]]) }) };
}

describe('a bulk patch', () => {
  it('shows in its dry run one job before and after, and writes nothing', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(work, { a: 1, b: 2 });
    const report = await admin.bulk({ verb: 'patch', patch: { a: null, c: 3 } }, { type: 'work' }, { dryRun: true });
    expect(report).toMatchObject({ status: 'dry-run', matched: 1, sample: { id, before: '{"a":1,"b":2}', after: '{"b":2,"c":3}' } });
    expect([await at(id), await admin.audit()]).toMatchObject([{ rev: 1 }, []]);
    expect(await admin.bulk({ verb: 'patch', patch: { a: 1 } }, { type: 'none' }, { dryRun: true })).not.toHaveProperty('sample');
    expect(await admin.bulk({ verb: 'run-now' }, { type: 'work' }, { dryRun: true })).not.toHaveProperty('sample');
  });

  it('shows in its dry run why the job would be left alone', async () => {
    const { rig, admin } = stage();
    const sampleOf = async (patch: object, type: string) =>
      (await admin.bulk({ verb: 'patch', patch: { ...patch } }, { type }, { dryRun: true })).sample;
    const { id } = await rig.client.enqueue(strict, { order: { count: 1 } });
    expect(await sampleOf({ order: { count: 'two' } }, 'strict')).toMatchObject({ id, problem: expect.stringContaining('order.count') });
    await rig.client.enqueue(other, [1]);
    expect(await sampleOf({ a: 1 }, 'other')).toMatchObject({ before: '[1]', problem: expect.stringContaining('no JSON object') });
    const row = (await rig.tables.get('jobs', idKey(id))) ?? {};
    await quarantine(rig.tables, 'jobs', row, { error: new Error('test'), now: rig.clock.now() });
    expect(await sampleOf({ a: 1 }, 'strict')).toEqual({ id, problem: 'Its row cannot be read.' });
  });

  it('patches the dead letters of an error group, and those that do not fit stay as they are', async () => {
    const { rig, admin, at } = stage();
    const ids: string[] = [];
    for (const count of [1, 2]) {
      const { id } = await rig.client.enqueue(strict, { order: { count } }, { delay: 'PT1H' });
      await admin.bury(id, { reason: 'wrong' });
      ids.push(id);
    }
    const [first = '', second = ''] = ids;
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: { id: second }, set: { payload: '{"order":{"count":"x"}}' } });
    const fingerprint = String((await at(first))?.['fingerprint']);
    const report = await admin.bulk({ verb: 'patch', patch: { note: 'checked' } }, { fingerprint }, { actor: 'anna', reason: 'note' });
    expect(report).toMatchObject({ status: 'done', matched: 2, done: 1, failed: 1 });
    expect(report.failures).toMatchObject([{ id: second, error: expect.stringContaining('order.count') }]);
    expect(await at(first)).toMatchObject({ payload: '{"order":{"count":1},"note":"checked"}', reason: 'buried' });
    const entries = (await admin.audit()).filter(({ verb }) => verb === 'bulk patch');
    const details = new Set(entries.map(({ detail }) => detail));
    expect(details).toEqual(new Set([`${report.id}: began: 1 field`, `${report.id}: done, 1 of 2 done, 1 failed`]));
    expect(JSON.stringify(entries)).not.toContain('checked');
  });

  it('redrives dead letters, the first one as a canary', async () => {
    const { rig, admin, ran } = stage();
    for (let n = 0; n < 3; n++) await rig.client.enqueue(work, { fails: true, n });
    await rig.drain();
    ran.length = 0;
    const action = { verb: 'patch', patch: { fails: null }, redrive: true } as const;
    const bulk = admin.bulk(action, { state: 'dead', type: 'work' }, { canary: true });
    await rig.settle();
    await rig.deliver();
    expect(ran).toHaveLength(1);
    expect(await rig.until(bulk, 500)).toMatchObject({ status: 'done', done: 3, canary: { outcome: 'completed' } });
    await rig.drain();
    expect(ran.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  it('takes no canary that would not run: a later timer, a breakpoint, a dead letter that stays one', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, { fails: true, keep: 1 });
    await rig.drain();
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(work, {});
    await admin.breakpoint(stopped.id, { reason: 'test' });
    const report = await admin.bulk({ verb: 'patch', patch: { a: 1 } }, { type: 'work' }, { canary: true });
    expect(report).toMatchObject({ status: 'canary-failed', done: 0, canary: { outcome: 'not-due' } });
    expect((await admin.find(id))?.payload).toBe('{"fails":true,"keep":1}');
  });

  it.each([
    [{}, /^patch: undefined/],
    [{ patch: 'x' }, /^patch: a string/],
    [{ patch: {} }, /^patch: \{\}/],
    [{ patch: { a: 1 }, redrive: 1 }, /^redrive: 1/],
    [{ patch: { a: 1 }, at: 'now' }, /^action: "at"/],
  ])('is refused with %j before anything is read', async (given, message) => {
    const { admin } = stage();
    await expect(admin.bulk({ verb: 'patch', ...given } as never, { type: 'work' }, { dryRun: true })).rejects.toThrow(message);
    expect(await admin.audit()).toEqual([]);
  });

  it('counts a job as patched that runs, has ended or no longer matches, if the process died before it could tell', () => {
    const action = { verb: 'patch', patch: { a: 1 } } as const;
    for (const outcome of ['running', 'changed', 'finished', 'not-found']) expect(hasHappened(action, ['waiting'], outcome)).toBe(true);
    for (const outcome of ['ready', 'dead', 'suspended', 'waiting']) expect(hasHappened(action, ['waiting'], outcome)).toBe(false);
    expect(hasHappened(action, ['parked'], 'ready')).toBe(true);
    expect(hasHappened({ ...action, redrive: true }, ['dead'], 'ready')).toBe(true);
    expect(hasHappened({ ...action, redrive: true }, ['waiting'], 'ready')).toBe(false);
  });

  it('leaves a job alone that moved before it was patched, if the process died before it could tell', async () => {
    const { rig, admin, at } = stage();
    const { id } = await rig.client.enqueue(work, { a: 1 }, { delay: 'PT1H' });
    const severed = severedTables(rig.tables);
    let saves = 0;
    const dying: Tables = {
      ...severed.tables,
      async transact(writes, ...rest) {
        const answer = await severed.tables.transact(writes, ...rest);
        if (writes.some((one) => one.op === 'put' && one.row['pk'] === 'bulk') && ++saves === 2) severed.die();
        return answer;
      },
    };
    void createAdminOver({ ...rig.deps, tables: dying }).bulk({ verb: 'patch', patch: { a: 2 } }, { state: 'waiting', type: 'work' });
    for (let turn = 0; turn < 50 && !severed.dead; turn++) await rig.settle();
    expect(saves).toBe(2);
    await rig.clock.advance(3_600_000);
    await rig.fire();
    const [seen] = await admin.bulks();
    expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'done', matched: 1, done: 0, leftAlone: { ready: 1 } });
    expect((await at(id))?.['payload']).toBe('{"a":1}');
  });
});
