import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { type Aim, type FaultyTables, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const WORKERS = {
  default: { lanes: { default: 'queue/default' } },
  mail: { lanes: { default: 'queue/mail' } },
};
const work = defineJob('work', { payload: anyPayload });
const mail = defineJob('mail', { payload: anyPayload, worker: 'mail' });
const TO = { type: 'mail', worker: 'mail' };
const MOVE: Aim = (writes) => writes.some((write) => write.op === 'put' && write.table === 'jobs' && write.row['worker'] === 'mail');
const IN_PLACE: Aim = (writes) => writes.some((write) => write.op === 'update' && 'worker' in write.set);

function stage(): { rig: Rig; admin: Admin; other: Admin; faults: FaultyTables; ran: string[] } {
  const ran: string[] = [];
  const rig = new Rig({ workers: WORKERS, handlers: [work.handle(() => void ran.push('work')), mail.handle(() => void ran.push('mail'))] });
  const faults = faultyTables(rig.tables);
  return { rig, faults, ran, admin: createAdminOver({ ...rig.deps, tables: faults.tables }), other: createAdminOver(rig.deps) };
}

describe('an operator who moves a job', () => {
  it('leaves one alone that ran meanwhile', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.before(MOVE, async () => rig.drain());
    expect(await admin.move(id, TO)).toBe('finished');
    expect(ran).toEqual(['work']);
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  it.each([
    ['PT0S', MOVE],
    ['PT5H', IN_PLACE],
  ])('keeps what was edited meanwhile (due in %s)', async (delay, aim) => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 }, { delay });
    faults.before(aim, async () => other.editPayload(id, { n: 2 }));
    expect(await admin.move(id, TO)).toBe('moved');
    expect(faults.pending()).toBe(0);
    const [row] = [...(await rig.rows('jobs')), ...(await rig.rows('timers'))];
    expect(row).toMatchObject({ type: 'mail', worker: 'mail', payload: '{"n":2}', rev: 3 });
  });

  it('finds a job that another operator stopped meanwhile', async () => {
    const { rig, admin, other, faults } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.before(MOVE, async () => other.breakpoint(id, { reason: 'look' }));
    expect(await admin.move(id, TO)).toBe('moved');
    expect(await rig.rows('suspended')).toMatchObject([{ id, worker: 'mail', cause: 'breakpoint' }]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, suspended: 1 });
  });

  it('moves it once, although another one moves it at the same time', async () => {
    const { rig, admin, other, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.before(MOVE, async () => expect(await other.move(id, TO)).toBe('moved'));
    expect(await admin.move(id, TO)).toBe('moved');
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ dispatches: 2 });
    await rig.drain();
    expect(ran).toEqual(['mail']);
  });

  it('leaves it where it is when a job there takes the unique key meanwhile', async () => {
    const { rig, admin, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', delay: 'PT5H' });
    faults.before(IN_PLACE, async () => rig.client.enqueue(mail, {}, { key: 'k', delay: 'PT5H' }));
    expect(await admin.move(id, TO)).toBe('key-taken');
    expect((await rig.rows('timers')).find((row) => row['id'] === id)).toMatchObject({ type: 'work', worker: 'default', rev: 1 });
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).id).toBe(id);
  });

  it('whose reply was lost is told that it is done, and it is dispatched once', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.next(MOVE, 'lost-reply');
    expect(await admin.move(id, TO)).toBe('moved');
    expect(faults.pending()).toBe(0);
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ dispatches: 2 });
    await rig.drain();
    expect(ran).toEqual(['mail']);
  });
});

describe('a message in the queue of the worker that a job left', () => {
  it('goes where the job went, although the job was moved back and forth', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.move(id, TO);
    await admin.move(id, { type: 'work', worker: 'default' });
    await admin.move(id, TO);
    await rig.drain();
    expect(ran).toEqual(['mail']);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
    expect(await rig.counts()).toMatchObject({ jobs: 0, suspended: 0, deadLetters: 0 });
  });

  it('ends as cancelled a job that was cancelled while it is sent on', async () => {
    const { rig, admin, ran, faults } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.move(id, TO);
    const sendsOn: Aim = (writes) =>
      writes.some(
        (write) => write.op === 'update' && write.table === 'jobs' && 'lockOwner' in write.set && write.add?.['dispatches'] === 1,
      );
    faults.before(sendsOn, async () => rig.client.cancel(id));
    const executor = new Rig({ clock: rig.clock, tables: faults.tables, workers: WORKERS, handlers: [work.handle(() => undefined)] });
    await executor.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10));
    expect(faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(ran).toEqual([]);
  });
});

describe('a bulk move that is resumed', () => {
  it('by a session without the type moves the jobs to the worker of the type all the same', async () => {
    const { rig, other } = stage();
    const ids = [await rig.client.enqueue(work, {}), await rig.client.enqueue(work, {})].map(({ id }) => id);
    const stopped = AbortSignal.abort();
    const knowing = createAdminOver({ ...rig.deps, jobTypes: new Map([[mail.name, mail]]) });
    const report = await knowing.bulk({ verb: 'move', type: 'mail' }, { type: 'work' }, { signal: stopped });
    expect(report).toMatchObject({ status: 'stopped', done: 0, action: { type: 'mail', worker: 'mail' } });
    expect(await other.resumeBulk(report.id ?? '')).toMatchObject({ status: 'done', done: 2 });
    for (const id of ids) expect(await other.find(id)).toMatchObject({ type: 'mail', worker: 'mail' });
  });
});
