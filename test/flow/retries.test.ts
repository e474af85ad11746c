import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { InvalidInputError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { aimAt, faultyTables } from '../support/faulty-tables.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const MINUTE = 60_000;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });
const other = defineJob('other', { payload: anyPayload });

const failing = () =>
  work.handle(() => {
    throw new Error('no');
  });

async function rigWith(options: RigOptions = {}): Promise<{ rig: Rig; admin: Admin; id: string }> {
  const rig = new Rig({ handlers: [failing()], ...options });
  const { id } = await rig.client.enqueue(work, {});
  return { rig, admin: createAdminOver(rig.deps), id };
}

/** Lets a job fail until it is dead; how often it ran. */
async function untilDead(rig: Rig, id: string): Promise<number> {
  for (let runs = 0; runs < 20; runs++) {
    await rig.drain();
    if ((await rig.client.get(id))?.state === 'dead') return rig.journal.count('started');
    await rig.clock.advance(MINUTE);
  }
  throw new Error('It never died.');
}

describe('setRetries', () => {
  it('gives a ready job that many tries from now on', async () => {
    const { rig, admin, id } = await rigWith();
    await rig.drain();
    expect(await admin.setRetries(id, 5)).toBe('set');
    expect(await untilDead(rig, id)).toBe(6);
  });

  it('takes tries away as well', async () => {
    const { rig, admin, id } = await rigWith();
    expect(await admin.setRetries(id, 1)).toBe('set');
    expect(await untilDead(rig, id)).toBe(1);
  });

  it('reaches a waiting and a suspended job', async () => {
    const rig = new Rig();
    const admin = createAdminOver(rig.deps);
    const waiting = await rig.client.enqueue(work, {}, { delay: 'PT5H' });
    const unknown = await rig.client.enqueue(other, {});
    await rig.drain();
    expect(await admin.setRetriesMany([waiting.id, unknown.id], 9)).toEqual({
      outcomes: new Map([
        [waiting.id, 'set'],
        [unknown.id, 'set'],
      ]),
      failed: [],
    });
    expect((await rig.rows('timers'))[0]).toMatchObject({ triesLimit: 9 });
    expect((await rig.rows('suspended'))[0]).toMatchObject({ triesLimit: 9 });
  });

  it('reaches a job that runs: the attempt that would have been its last is followed by another', async () => {
    const once = defineJob('work', { payload: anyPayload, retry: 'R1/PT1M' });
    let during = async (): Promise<unknown> => undefined;
    const rig = new Rig({
      handlers: [
        once.handle(async () => {
          await during();
          throw new Error('no');
        }),
      ],
    });
    const admin = createAdminOver(rig.deps);
    const { id } = await rig.client.enqueue(once, {});
    during = async () => {
      during = async () => undefined;
      return admin.setRetries(id, 2);
    };
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    expect(await untilDead(rig, id)).toBe(2);
  });

  it('redrives a dead letter with that many tries', async () => {
    const { rig, admin, id } = await rigWith();
    expect(await untilDead(rig, id)).toBe(3);
    expect(await admin.setRetries(id, 1)).toBe('redriven');
    expect(await untilDead(rig, id)).toBe(4);
  });

  it('is forgotten by the next redrive: the policy counts again', async () => {
    const { rig, admin, id } = await rigWith();
    await admin.setRetries(id, 1);
    expect(await untilDead(rig, id)).toBe(1);
    expect(await admin.redrive(id)).toBe('redriven');
    expect(await untilDead(rig, id)).toBe(4);
  });

  it('says so of a job that finished or never was, and refuses what is no number of tries', async () => {
    const { rig, admin } = await rigWith();
    expect(await admin.setRetries(rig.client.newId(), 2)).toBe('not-found');
    for (const tries of [0, -1, 1.5, Number.NaN, 1_000_001, '3' as never])
      await expect(admin.setRetries(rig.client.newId(), tries)).rejects.toThrow(/^retries: /);
    await expect(admin.setRetriesMany(['job 7'], 2)).rejects.toThrow(/^ids\[0\]: /);
    await expect(admin.setRetriesMany('x' as never, 2)).rejects.toThrow(InvalidInputError);
  });

  it('knows its own write after a lost reply, and does not add to it', async () => {
    const { rig, id } = await rigWith();
    const faults = faultyTables(rig.tables);
    faults.next(aimAt('update', 'jobs'), 'lost-reply');
    const before = Number((await rig.rows('jobs'))[0]?.['rev']);
    expect(await createAdminOver({ ...rig.deps, tables: faults.tables }).setRetries(id, 5)).toBe('set');
    expect((await rig.rows('jobs'))[0]).toMatchObject({ triesLimit: 5, rev: before + 1 });
    expect(faults.pending()).toBe(0);
  });

  it('looks again when the job moved meanwhile', async () => {
    const { rig, id } = await rigWith();
    const faults = faultyTables(rig.tables);
    faults.before(aimAt('update', 'jobs'), async () => rig.drain());
    expect(await createAdminOver({ ...rig.deps, tables: faults.tables }).setRetries(id, 5)).toBe('set');
    expect((await rig.rows('jobs'))[0]).toMatchObject({ failures: 1, triesLimit: 6 });
    expect(faults.pending()).toBe(0);
  });
});

describe('setDueDate', () => {
  it('makes a job that waits for its retry run at once', async () => {
    const { rig, admin, id } = await rigWith();
    await rig.drain();
    expect(await admin.setDueDate(id, { runAt: 0 })).toBe('rescheduled');
    await rig.drain();
    expect(rig.journal.count('started')).toBe(2);
  });

  it('redrives a dead letter at its time, with fresh counters, and the job is found meanwhile', async () => {
    const { rig, admin, id } = await rigWith();
    await untilDead(rig, id);
    expect(await admin.setDueDate(id, { delay: 'PT2H' })).toBe('redriven');
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', failures: 0, dueAt: new Date(rig.clock.now() + 120 * MINUTE) });
    await rig.clock.advance(120 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(rig.journal.count('started')).toBe(4);
  });

  it('refuses no time at all', async () => {
    const { admin, id } = await rigWith();
    await expect(admin.setDueDate(id, {})).rejects.toThrow(/^when: /);
  });
});

describe('redrive', () => {
  it('takes a number of tries and a time, together', async () => {
    const { rig, admin, id } = await rigWith();
    await untilDead(rig, id);
    expect(await admin.redrive(id, { retries: 7, at: rig.clock.now() + 60 * MINUTE })).toBe('redriven');
    expect((await rig.rows('timers'))[0]).toMatchObject({ triesLimit: 7, failures: 0, id });
    await expect(admin.redrive(id, { at: 'soon' })).rejects.toThrow(InvalidInputError);
    await expect(admin.redrive(id, { tries: 7 } as never)).rejects.toThrow(InvalidInputError);
  });

  it('at its time takes the unique key again, or refuses', async () => {
    const rig = new Rig({ handlers: [failing()] });
    const admin = createAdminOver(rig.deps);
    const { id } = await rig.client.enqueue(work, {}, { key: 'k' });
    await untilDead(rig, id);
    const holder = await rig.client.enqueue(work, {}, { key: 'k' });
    expect(await admin.redrive(id, { at: rig.clock.now() + 60 * MINUTE })).toBe('key-taken');
    await rig.client.cancel(holder.id);
    expect(await admin.redrive(id, { at: rig.clock.now() + 60 * MINUTE })).toBe('redriven');
    expect(await rig.client.enqueue(work, {}, { key: 'k' })).toEqual({ id, duplicate: true });
  });

  it('of many says of each what became of it, also when an entry of the audit is not taken', async () => {
    const { rig, id } = await rigWith();
    const second = await rig.client.enqueue(work, {});
    await untilDead(rig, id);
    await untilDead(rig, second.id);
    const faults = faultyTables(rig.tables);
    faults.next(aimAt('put', 'control'), 'unavailable');
    const admin = createAdminOver({ ...rig.deps, tables: faults.tables });
    const { outcomes, failed } = await admin.redriveMany([id, second.id]);
    expect(outcomes.size + failed.length).toBe(2);
    expect(failed).toHaveLength(1);
    expect(new Set((await rig.rows('jobs')).map((row) => row['id']))).toEqual(new Set([id, second.id]));
  });
});
