import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { aimAt, type FaultyTables, faultyTables } from '../support/faulty-tables.ts';

const work = defineJob('work', { payload: anyPayload });

function stage(): { rig: Rig; admin: Admin; faults: FaultyTables; ran: unknown[] } {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [work.handle(({ job }) => void ran.push(job.id))] });
  const faults = faultyTables(rig.tables);
  return { rig, faults, ran, admin: createAdminOver({ ...rig.deps, tables: faults.tables }) };
}

describe('an operator who is not alone', () => {
  it('and another one who also runs a suspended job now start it once', async () => {
    const { rig, admin, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.breakpoint(id, { reason: 'test' });
    const outcomes = await Promise.all([admin.runNow(id), admin.runNow(id), admin.resumeJob(id)]);
    expect(outcomes).toContain('started');
    await rig.drain();
    expect(ran).toEqual([id]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
  });

  it('sets no breakpoint on a job that was claimed a moment ago', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.before(aimAt('put', 'suspended'), async () => rig.drain());
    expect(await admin.breakpoint(id, { reason: 'late' })).toBe('finished');
    expect(ran).toEqual([id]);
    expect((await rig.counts()).suspended).toBe(0);
  });

  it('sets a priority on the row as it is by then, and takes nothing back that happened meanwhile', async () => {
    const { rig, admin, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    faults.before(aimAt('put', 'timers'), async () => rig.client.reschedule(id, { delay: 'PT9H' }));
    expect(await admin.setPriority(id, 9)).toBe('set');
    const [timer] = await rig.rows('timers');
    expect(timer).toMatchObject({ priority: 9, dueAt: new Date(rig.clock.now() + 9 * 3_600_000).toISOString() });
  });

  it('does not bring a job back that was cancelled while it was being resumed', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.breakpoint(id, { reason: 'test' });
    faults.before(aimAt('delete', 'suspended'), async () => rig.client.cancel(id));
    expect(await admin.runNow(id)).toBe('finished');
    await rig.drain();
    expect(ran).toEqual([]);
  });

  it('has done it once when the reply was lost', async () => {
    const { rig, admin, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, {});
    faults.next(aimAt('put', 'suspended'), 'lost-reply');
    expect(await admin.breakpoint(id, { reason: 'test' })).toBe('stopped');
    faults.next(aimAt('put', 'jobs'), 'lost-reply');
    expect(await admin.runNow(id)).toBe('started');
    await rig.drain();
    expect(ran).toEqual([id]);
    expect(['suspended', 'resumed'].map((event) => rig.journal.count(event as 'suspended'))).toEqual([1, 1]);
    expect(await admin.audit()).toHaveLength(2);
    expect(faults.pending()).toBe(0);
  });

  it('ends a suspension while the sweeper looks: its jobs go by the next tick at the latest', async () => {
    const { rig, admin, ran } = stage();
    await admin.suspend({ type: 'work' }, { reason: 'test' });
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    await Promise.all([rig.sweep(), admin.resume({ type: 'work' })]);
    await rig.clock.advance(10_000);
    await rig.sweep();
    await rig.drain();
    expect(ran).toEqual([id]);
  });
});
