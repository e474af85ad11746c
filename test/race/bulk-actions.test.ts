import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import type { BulkAction } from '../../operate/bulk/bulk-verbs.ts';
import { idKey } from '../../shared/store/rows.ts';
import { brokenStage, deadLetters, other, work } from '../support/dead-letters.ts';
import { type Aim, aimAt, faultyTables } from '../support/faulty-tables.ts';
import type { Rig } from '../support/rig.ts';

const redrive: BulkAction = { verb: 'redrive' };
const ofWork = { type: 'work' };

/** Aims at what writes the jobs of a step down ahead of it. */
const aimAtMet = (): Aim => (writes) => writes.some((one) => one.op === 'put' && 'ids' in one.row);

/** The process that goes wrong works over tables of its own; the stage's admin is everybody else. */
async function twoProcesses(count: number) {
  const made = await deadLetters(count);
  const faults = faultyTables(made.rig.tables);
  return { ...made, faults, doomed: createAdminOver({ ...made.rig.deps, tables: faults.tables }) };
}

describe('a bulk action in trouble', () => {
  it('goes on without a job for which the store does not answer, and says which', async () => {
    const { doomed, admin, faults } = await twoProcesses(30);
    faults.next(aimAt('put', 'jobs'), 'unavailable', 2);
    const report = await doomed.bulk(redrive, ofWork);
    expect(report).toMatchObject({ status: 'done', matched: 30, done: 28, failed: 2 });
    expect(report.failures.map(({ error }) => error)).toEqual([
      expect.stringContaining('did not answer'),
      expect.stringContaining('did not answer'),
    ]);
    expect(await admin.bulk(redrive, ofWork)).toMatchObject({ matched: 2, done: 2 });
  });

  it('goes on without a row that cannot be read', async () => {
    const { admin, rig, ids } = await twoProcesses(3);
    await rig.tables.write({ op: 'update', table: 'deadLetters', key: idKey(ids[0] ?? ''), set: { dueAt: 'soon' } });
    const report = await admin.bulk(redrive, ofWork);
    expect(report).toMatchObject({ matched: 3, done: 2, failed: 1, failures: [{ id: ids[0], error: expect.stringContaining('dueAt') }] });
    expect(await admin.bulk({ verb: 'delete' }, ofWork)).toMatchObject({ matched: 1, done: 1 });
  });

  it('that cannot write down where it is ends with the error, and can be resumed at once', async () => {
    const { doomed, admin, faults, rig, ran, ids } = await twoProcesses(60);
    let writes = 0;
    // Its first row, a step ahead of it and after it, and the next step.
    faults.next(
      (written) => written.some((write) => write.op === 'put' && write.table === 'control' && write.row['pk'] === 'bulk') && ++writes === 4,
      'unavailable',
    );
    await expect(doomed.bulk(redrive, ofWork)).rejects.toThrow('did not answer');
    const [seen] = await admin.bulks();
    expect(seen).toMatchObject({ status: 'running', done: 50 });
    expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'done' });
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
    expect(faults.pending()).toBe(0);
  });

  it('has written a step once when the reply was lost', async () => {
    const { doomed, faults } = await twoProcesses(60);
    faults.next((written) => written.some((write) => write.table === 'control' && write.op === 'put' && 'ids' in write.row), 'lost-reply');
    expect(await doomed.bulk(redrive, ofWork)).toMatchObject({ status: 'done', matched: 60, done: 60 });
    expect(faults.pending()).toBe(0);
  });

  it('that slept through its lease leaves the rest to the process that took it over, and gives that report', async () => {
    const { doomed, admin, faults, rig, ran, ids } = await twoProcesses(60);
    let bulk = '';
    // It falls asleep in the middle of its first step, and another one does all of it.
    faults.before(aimAt('put', 'jobs'), async () => {
      await rig.clock.advance(61_000);
      expect(await admin.resumeBulk(bulk)).toMatchObject({ status: 'done' });
    });
    const report = await doomed.bulk(redrive, ofWork, { onBegin: (id) => (bulk = id) });
    expect(report).toEqual((await admin.bulks())[0]);
    expect(report).toMatchObject({ status: 'done', complete: true });
    await rig.drain();
    expect(ran.toSorted()).toEqual(ids.toSorted());
  });

  it.each(['begun', 'resumed'])('that was just %s is nobody else’s before it wrote anything more', async (how) => {
    const { doomed, admin, faults } = await twoProcesses(1);
    const { id = '' } = how === 'begun' ? {} : await admin.bulk(redrive, ofWork, { signal: AbortSignal.abort() });
    let tried: unknown;
    // Its lease is as long as ever when somebody else tries to go on with it.
    const aheadOfStep = aimAtMet();
    faults.before(aheadOfStep, async () => (tried = await admin.resumeBulk((await admin.bulks())[0]?.id ?? '')));
    const report = how === 'begun' ? await doomed.bulk(redrive, ofWork) : await doomed.resumeBulk(id);
    expect(tried).toMatchObject({ status: 'running', done: 0 });
    expect(report).toMatchObject({ status: 'done', done: 1 });
  });

  it('that cannot be released either tells the error that ended it', async () => {
    const { doomed, admin, faults, rig } = await twoProcesses(1);
    faults.next(aimAtMet(), 'unavailable');
    faults.unreadable((read) => read.op === 'get' && read.table === 'control' && read.key['pk'] === 'bulk');
    const error: unknown = await doomed.bulk(redrive, ofWork).catch((thrown: unknown) => thrown);
    expect(String((error as Error).cause)).toContain('unavailable');
    const [seen] = await admin.bulks();
    expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'running' });
    await rig.clock.advance(60_001);
    expect(await admin.resumeBulk(seen?.id ?? '')).toMatchObject({ status: 'done', done: 1 });
  });

  it('says that it is alive while it reads for long and finds nothing', async () => {
    const { admin, rig } = await twoProcesses(0);
    for (let n = 0; n < 12; n++) await rig.client.enqueue(other, {});
    const held: unknown[] = [];
    // A page ends after each row, and takes ten seconds.
    const scan: Rig['tables']['scan'] = async (given) => {
      await rig.clock.advance(10_000);
      if (given.table === 'jobs') held.push(await admin.resumeBulk((await admin.bulks())[0]?.id ?? ''));
      return { ...(await rig.tables.scan({ ...given, limit: 1 })), readUnits: 1_000 };
    };
    const reader = createAdminOver({ ...rig.deps, tables: { ...rig.tables, scan } });
    expect(await reader.bulk({ verb: 'cancel' }, { state: 'ready', tenant: 'acme' })).toMatchObject({ status: 'done', matched: 0 });
    expect(held.length).toBeGreaterThan(10);
    for (const report of held) expect(report).toMatchObject({ status: 'running' });
  });

  it('whose caller throws at its begin has touched nothing, and can be resumed', async () => {
    const { admin, rig } = await twoProcesses(5);
    const onBegin = (): never => {
      throw new Error('nobody listens');
    };
    await expect(admin.bulk(redrive, ofWork, { onBegin })).rejects.toThrow('nobody listens');
    expect(await rig.rows('deadLetters')).toHaveLength(6);
    expect(await admin.resumeBulk((await admin.bulks())[0]?.id ?? '')).toMatchObject({ status: 'done', done: 5 });
  });

  it('meets a job that fires during its pass all the same', async () => {
    const { rig, admin } = brokenStage();
    await rig.client.enqueue(work, {}, { delay: 'PT16M' });
    await rig.client.enqueue(work, {}, { delay: 'PT3H' });
    await rig.clock.advance(15 * 60_000);
    const faults = faultyTables(rig.tables);
    const another = createAdminOver({ ...rig.deps, tables: faults.tables });
    faults.before(aimAt('put', 'timers'), async () => rig.fire());
    expect(await another.bulk({ verb: 'set-priority', priority: 4 }, ofWork)).toMatchObject({ matched: 2, done: 2 });
    expect([...(await rig.rows('jobs')), ...(await rig.rows('timers'))].map((row) => row['priority'])).toEqual([4, 4]);
    expect(await admin.bulks()).toHaveLength(1);
  });
});
