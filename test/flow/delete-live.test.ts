import { describe, expect, it, vi } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { hasHappened } from '../../operate/bulk/act-on-job.ts';
import { defineJob, defineLimit } from '../../shared/index.ts';
import { readSchedule } from '../../shared/features/schedules/store/schedules.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { WAIT } from '../support/patience.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { schedule, scheduled } from '../support/scheduled-rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'never' });
const limited = defineJob('limited', { payload: anyPayload, limits: [defineLimit('one', { concurrency: 1 })] });
const told = { actor: 'anna', reason: 'duplicate' };
const LIVE = { live: true, ...told };

function stage(history: 'outcome' | 'off' = 'outcome') {
  const ran: unknown[] = [];
  const rig: Rig = new Rig({
    history,
    handlers: [
      work.handle(({ payload }) => {
        ran.push(payload);
        if (payload['fails'] === true) throw new Error('no');
      }),
      limited.handle(async () => {
        await rig.clock.wait(MINUTE);
      }),
    ],
  });
  const faults = faultyTables(rig.tables);
  return { rig, ran, faults, admin: createAdminOver({ ...rig.deps, tables: faults.tables }), other: createAdminOver(rig.deps) };
}

describe('a job that does not run', () => {
  it('is deleted only when its producer cannot put it again', async () => {
    const { rig } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const deleting = createAdminOver({ ...rig.deps, putWindowMs: 12_000 }).delete(id, LIVE);
    await vi.waitFor(() => expect(rig.clock.pending).toEqual([rig.clock.now() + 12_000]), WAIT);
    expect(await rig.rows('timers')).toHaveLength(1);
    await rig.clock.advance(12_000);
    expect(await deleting).toBe('deleted');
  });

  it('is deleted wherever it lies: it ends as cancelled, History and audit say by whom and why, and it never runs', async () => {
    const { rig, admin, ran } = stage();
    const ready = await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme' });
    const waiting = await rig.client.enqueue(work, { n: 2 }, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(work, { n: 3 });
    await admin.breakpoint(stopped.id, { reason: 'look' });
    await admin.suspend({ type: 'work' }, { reason: 'test' });
    const suspended = await rig.client.enqueue(work, { n: 4 });
    await rig.drain();
    const states = await Promise.all([ready, waiting, stopped, suspended].map(async ({ id }) => (await admin.find(id))?.state));
    expect(new Set(states)).toEqual(new Set(['waiting', 'suspended']));
    const later = await rig.client.enqueue(work, { n: 5 }, { tenant: 'acme' });
    for (const { id } of [ready, waiting, stopped, suspended, later]) {
      expect(await admin.delete(id, LIVE)).toBe('deleted');
      expect(await admin.find(id)).toMatchObject({
        state: 'finished',
        outcome: 'cancelled',
        cancelReason: 'duplicate',
        cancelledBy: 'anna',
      });
      expect(await admin.delete(id, LIVE)).toBe('finished');
    }
    const entries = (await admin.audit()).filter(({ verb }) => verb === 'delete');
    expect(entries).toHaveLength(5);
    expect(entries).toContainEqual(expect.objectContaining({ jobId: later.id, type: 'work', tenant: 'acme', ...told }));
    await admin.resume({ type: 'work' });
    await rig.clock.advance(2 * 60 * MINUTE);
    await rig.drain();
    expect(ran).toEqual([]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, suspended: 0, deadLetters: 0 });
  });

  it('is left alone without live, and answers with its state', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    expect(await admin.delete(id, told)).toBe('waiting');
    expect(await admin.delete(id, { live: false })).toBe('waiting');
    await expect(admin.delete(id, { live: 'yes' as never })).rejects.toThrow(/^live: "yes"/);
    await expect(admin.delete(id, { alive: true } as never)).rejects.toThrow(/^options: "alive"/);
    expect(await admin.audit()).toEqual([]);
  });

  it('that is parked makes no room of its own, and one that runs is left alone and told so', async () => {
    const { rig, admin } = stage();
    const running = await rig.client.enqueue(limited, {});
    const delivery = rig.deliver();
    await rig.settle();
    const parked = await rig.client.enqueue(limited, {});
    await rig.until(rig.deliver());
    expect((await admin.find(parked.id))?.state).toBe('parked');
    expect(await admin.delete(parked.id, LIVE)).toBe('deleted');
    expect(await admin.delete(running.id, LIVE)).toBe('running');
    expect(await admin.find(running.id)).not.toHaveProperty('cancelRequested');
    await rig.until(delivery);
    expect(await admin.find(running.id)).toMatchObject({ outcome: 'completed' });
    expect(await admin.find(parked.id)).toMatchObject({ outcome: 'cancelled' });
  });

  it('frees its unique key, also one for a stated time', async () => {
    const { rig, admin } = stage();
    for (const key of ['k', { value: 'timed', for: 'P1D' }] as const) {
      const { id } = await rig.client.enqueue(work, {}, { key, delay: 'PT1H' });
      expect(await admin.delete(id, LIVE)).toBe('deleted');
      expect((await rig.client.enqueue(work, {}, { key, delay: 'PT1H' })).duplicate).toBe(false);
    }
  });

  it('is counted by its batch as cancelled, which then completes', async () => {
    const { rig, admin } = stage();
    const { id, ids } = await rig.client.enqueueBatch(work, [{}, {}]);
    expect(await admin.delete(String(ids[0]), LIVE)).toBe('deleted');
    await rig.drain();
    expect(await rig.client.batch(id)).toMatchObject({ cancelled: 1, succeeded: 1 });
  });

  it('that waits for its schedule is not planned again, and the schedule goes on', async () => {
    const rig = scheduled();
    await rig.admin.schedules.put(schedule({ cron: '0 * * * *' }));
    const id = (await rig.admin.schedules.get('nightly'))?.next?.id ?? '';
    expect(await rig.admin.delete(id, LIVE)).toBe('deleted');
    expect((await readSchedule(rig.tables, 'nightly'))?.settled).toHaveLength(1);
    await rig.passSwept(121 * MINUTE);
    expect(rig.ran).toEqual(['2026-03-01T02:00:00']);
  });

  it('of another tenant is not found', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { tenant: 'acme' });
    expect(await admin.forTenant('other').delete(id, LIVE)).toBe('not-found');
    expect(await admin.forTenant('acme').delete(id, LIVE)).toBe('deleted');
  });
});

describe('a delete of a job that does not run', () => {
  it('leaves it alone if it started meanwhile, and keeps nothing of it if it was redriven or died meanwhile', async () => {
    const { rig, admin, other, faults, ran } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    faults.before(aimAt('delete', 'jobs'), async () => rig.drain());
    expect(await admin.delete(id, LIVE)).toBe('finished');
    expect(ran).toEqual([{ n: 1 }]);
    const dying = await rig.client.enqueue(work, { fails: true });
    faults.before(aimAt('delete', 'jobs'), async () => rig.drain());
    expect(await admin.delete(dying.id, LIVE)).toBe('deleted');
    const dead = await rig.client.enqueue(work, { fails: true });
    await rig.drain();
    faults.before(aimAt('delete', 'deadLetters'), async () => other.redrive(dead.id));
    expect(await admin.delete(dead.id, LIVE)).toBe('deleted');
    expect(faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 0, deadLetters: 0 });
    expect((await admin.audit()).filter(({ verb }) => verb === 'delete')).toHaveLength(2);
  });

  it('answers finished if it completed meanwhile, where nothing is kept of it too', async () => {
    const { rig, admin, faults } = stage('off');
    const { id } = await rig.client.enqueue(work, {});
    faults.before(aimAt('delete', 'jobs'), async () => rig.drain());
    expect(await admin.delete(id, LIVE)).toBe('finished');
    expect(await admin.delete(id, LIVE)).toBe('not-found');
    expect(await admin.audit()).toEqual([]);
  });

  it('is made once when its reply was lost', async () => {
    const { rig, admin, faults } = stage();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    faults.next(aimAt('delete', 'timers'), 'lost-reply');
    expect(await admin.delete(id, LIVE)).toBe('deleted');
    expect([(await admin.audit()).length, faults.pending()]).toEqual([1, 0]);
  });
});

describe('a bulk delete', () => {
  it('counts a job as deleted that has ended, if the process died before it could tell, with live alone', () => {
    expect(hasHappened({ verb: 'delete', live: true }, ['waiting'], 'finished')).toBe(true);
    expect(hasHappened({ verb: 'delete' }, ['dead'], 'finished')).toBe(false);
    for (const live of [true, false]) expect(hasHappened({ verb: 'delete', live }, ['dead'], 'not-found')).toBe(true);
  });

  it('means dead letters alone, and with live every state but running', async () => {
    const { rig, admin } = stage();
    await rig.client.enqueue(work, { fails: true });
    await rig.drain();
    await rig.client.enqueue(work, {});
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    const matched = async (action: object, filter: object) =>
      (await admin.bulk({ verb: 'delete', ...action }, { type: 'work', ...filter }, { dryRun: true })).matched;
    expect(await matched({}, {})).toBe(1);
    expect(await matched({ live: true }, {})).toBe(3);
    expect(await matched({ live: true }, { state: 'waiting' })).toBe(1);
    await expect(matched({}, { state: 'waiting' })).rejects.toThrow(/delete acts on jobs that are dead;/);
    await expect(matched({ live: true }, { state: 'running' })).rejects.toThrow(/delete acts on jobs that are waiting, parked,/);
    await expect(matched({ live: 1 }, {})).rejects.toThrow(/^live: 1/);
    expect(await admin.bulk({ verb: 'delete', live: true }, { type: 'work' }, told)).toMatchObject({ status: 'done', done: 3 });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
  });
});
