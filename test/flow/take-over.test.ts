import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { executorOwner } from '../../shared/job/lock-owner.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { aimAt, aimAtChangeOf } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

/** A job whose executor died with it, alone or beside others, and the message that names it. */
async function crashed({ alone = true, crashLimit = 3 } = {}) {
  const rig = faultyRig({ handlers: [work.handle(() => undefined)], settings: { crashLimit } });
  const { id } = await rig.client.enqueue(work, {});
  await take(rig, id, MINUTE, alone);
  // Received once before, as by the executor that died.
  for (const message of rig.hints.receive(DEFAULT, 10)) await rig.hints.postpone(message, 0);
  const executes = async () => rig.execute(rig.hints.receive(DEFAULT, 10));
  return { rig, id, executes };
}

describe('a job whose lease ran out', () => {
  it('is taken over when everything else of its batch has ended, and is marked as alone', async () => {
    const order: string[] = [];
    const rig: Rig = new Rig({
      handlers: [
        work.handle(async ({ job }) => {
          order.push(String((await rig.tables.get('jobs', idKey(job.id)))?.['lockOwner']).split('/')[0] ?? '');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, {});
    await rig.client.enqueue(work, {});
    await take(rig, id, MINUTE, false);
    await rig.clock.advance(2 * MINUTE);
    await rig.deliver();
    expect(order).toEqual(['run', 'alone']);
  });

  it.each([
    { alone: true, crashes: 1 },
    { alone: false, crashes: 0 },
  ])('counts as crashed if it ran alone ($alone)', async ({ alone, crashes }) => {
    const { rig, executes } = await crashed({ alone });
    await rig.clock.advance(2 * MINUTE);
    expect(await executes()).toEqual([]);
    expect(rig.journal.count('crashed')).toBe(crashes);
    expect(rig.journal.count('completed')).toBe(1);
  });

  it('is buried with its crashes at the limit, and the burial names its invocation', async () => {
    const { rig, id, executes } = await crashed({ crashLimit: 1 });
    await rig.clock.advance(2 * MINUTE);
    expect(await executes()).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'crash-loop' });
    expect((await rig.rows('deadLetters'))[0]).toMatchObject({ requestId: 'request-1', crashes: 1 });
    expect(rig.journal.count('dead-lettered')).toBe(1);
  });

  it('is not told as buried by who was late, and its message comes back', async () => {
    const { rig, id, executes } = await crashed({ crashLimit: 1 });
    await rig.clock.advance(2 * MINUTE);
    const set = { lockOwner: executorOwner('other', true), lockExpiresAt: new Date(rig.clock.now() + MINUTE).toISOString() };
    const taken = { op: 'update', table: 'jobs', key: idKey(id), set, add: { rev: 1 } } as const;
    rig.faults.before(aimAt('put', 'deadLetters'), async () => rig.tables.write(taken));
    expect(await executes()).toHaveLength(1);
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.count('dead-lettered')).toBe(0);
    expect(rig.journal.count('store-failed')).toBe(0);
  });

  it('ends as cancelled if that was asked, once', async () => {
    const { rig, id, executes } = await crashed();
    await rig.client.cancel(id);
    await rig.clock.advance(2 * MINUTE);
    expect(await executes()).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(rig.journal.count('cancelled')).toBe(1);
  });

  it('is not told as cancelled by who was late', async () => {
    const { rig, id, executes } = await crashed();
    await rig.client.cancel(id);
    await rig.clock.advance(2 * MINUTE);
    rig.faults.before(aimAt('delete', 'jobs'), async () => rig.tables.write({ op: 'delete', table: 'jobs', key: idKey(id) }));
    await executes();
    expect(rig.faults.pending()).toBe(0);
    expect(rig.journal.count('cancelled')).toBe(0);
  });
});

describe('a message whose job cannot be claimed', () => {
  it('comes back when the lease of another executor ends', async () => {
    const { rig, executes } = await crashed();
    const until = rig.clock.now() + MINUTE;
    expect(await executes()).toHaveLength(1);
    expect(rig.hints.nextVisibleAt()).toBe(until);
  });

  it.each([
    { dueIn: MINUTE, comesIn: MINUTE },
    { dueIn: 200, comesIn: 1_000 },
  ])('comes back when the job is due, not within a second ($dueIn ms)', async ({ dueIn, comesIn }) => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    const now = rig.clock.now();
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { dueAt: new Date(now + dueIn).toISOString() } });
    expect(await rig.execute(rig.hints.receive(DEFAULT, 10))).toHaveLength(1);
    expect(rig.hints.nextVisibleAt()).toBe(now + comesIn);
  });

  it('comes back when the row cannot be read and belongs to another executor', async () => {
    const { rig, id, executes } = await crashed();
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { priority: 'high' } });
    expect(await executes()).toHaveLength(1);
    expect(await rig.counts()).toMatchObject({ jobs: 1, deadLetters: 0 });
  });
});

it('a claim that can neither be made nor undone is journalled twice, and its message comes back', async () => {
  const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
  await rig.client.enqueue(work, {});
  rig.faults.next(aimAtChangeOf('lockOwner'), 'unavailable', 3);
  expect(await rig.execute(rig.hints.receive(DEFAULT, 10))).toHaveLength(1);
  expect(rig.faults.pending()).toBe(0);
  expect(rig.journal.count('store-failed')).toBe(2);
});
