import { describe, expect, it } from 'vitest';
import { type Admin, createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { decodeLeasedJob } from '../../../../shared/store/job-codec.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const work = defineJob('work', { payload: anyPayload });
const WORKERS = {
  default: {
    lanes: { default: 'q/default', urgent: 'q/urgent' },
    from: { urgent: 10 },
    fifo: 'q/default.fifo',
    deadLetterQueue: 'q/dlq',
    fifoDeadLetterQueue: 'q/dlq.fifo',
  },
};

function stage(): {
  rig: Rig;
  admin: Admin;
  ran: unknown[];
  inLane: (lane: string) => Promise<number | undefined>;
  row: (id: string) => Promise<object>;
} {
  const ran: unknown[] = [];
  const rig = new Rig({ handlers: [work.handle(({ payload, job }) => void ran.push([payload['n'], job.priority]))], workers: WORKERS });
  return {
    rig,
    admin: createAdminOver(rig.deps),
    ran,
    inLane: async (lane) => rig.hints.visible({ worker: 'default', lane, kind: 'standard' }),
    row: async (id) => decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {}),
  };
}

describe('setPriority', () => {
  it('puts a ready job into the lane of its new priority; the message in the old one is stale', async () => {
    const { rig, admin, ran, inLane, row } = stage();
    const { id } = await rig.client.enqueue(work, { n: 1 });
    expect(await admin.setPriority(id, 20)).toBe('set');
    expect(await row(id)).toMatchObject({ priority: 20, priorityFrom: 'set', lane: 'urgent', dispatches: 2 });
    expect([await inLane('default'), await inLane('urgent')]).toEqual([1, 1]);
    await rig.drain();
    expect(ran).toEqual([[1, 20]]);
    expect(rig.journal.count('lost-claim')).toBe(1);
  });

  it('changes a waiting and a suspended job where they lie', async () => {
    const { rig, admin, ran } = stage();
    const waiting = await rig.client.enqueue(work, { n: 1 }, { delay: 'PT1H' });
    const stopped = await rig.client.enqueue(work, { n: 2 });
    await admin.breakpoint(stopped.id, { reason: 'later' });
    for (const { id } of [waiting, stopped]) expect(await admin.setPriority(id, 12)).toBe('set');
    expect((await rig.rows('timers'))[0]).toMatchObject({ priority: 12, priorityFrom: 'set', lane: 'urgent' });
    expect((await rig.rows('suspended'))[0]).toMatchObject({ priority: 12, lane: 'urgent', cause: 'breakpoint' });
    await admin.resumeJob(stopped.id);
    await rig.drain();
    await rig.clock.advance(60 * 60_000);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual([
      [2, 12],
      [1, 12],
    ]);
  });

  it('keeps a grouped job in its place in the queue of its group', async () => {
    const { rig, admin, ran } = stage();
    for (const n of [1, 2]) await rig.client.enqueue(work, { n }, { group: 'g', id: rig.client.newId() });
    const first = (await rig.rows('jobs')).find((one) => one['payload'] === '{"n":1}');
    expect(await admin.setPriority(String(first?.['id']), 50)).toBe('set');
    await rig.drain();
    expect(ran).toEqual([
      [1, 50],
      [2, 0],
    ]);
  });

  it('says what keeps it from it', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    expect(await admin.setPriority(id, 1)).toBe('finished');
    expect(await admin.setPriority(rig.client.newId(), 1)).toBe('not-found');
    await expect(admin.setPriority(id, 1.5)).rejects.toThrow(/priority/);
  });
});

describe('a priority at run time', () => {
  it('counts for jobs that come after it, which go once to the lane of it and cost no attempt', async () => {
    const { rig, admin, ran } = stage();
    await rig.client.enqueue(work, { n: 1 });
    await rig.clock.advance(1);
    await admin.overridePriority({ type: 'work' }, 15);
    await rig.clock.advance(1);
    const { id } = await rig.client.enqueue(work, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([
      [1, 0],
      [2, 15],
    ]);
    expect(rig.journal.count('rerouted')).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1, priority: 15 });
  });

  it('counts with cascade also for jobs that were there', async () => {
    const { rig, admin, ran } = stage();
    await rig.client.enqueue(work, { n: 1 });
    await rig.clock.advance(1);
    await admin.overridePriority({ type: 'work' }, 15, { cascade: true });
    await rig.drain();
    expect(ran).toEqual([[1, 15]]);
  });

  it('of a type goes before that of a tenant, both before an option, and setPriority before all', async () => {
    const { rig, admin, ran } = stage();
    await admin.overridePriority({ tenant: 'acme' }, 11, { cascade: true });
    await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme', priority: 3 });
    await rig.drain();
    await admin.overridePriority({ type: 'work' }, 12, { cascade: true });
    await rig.clock.advance(5_000);
    await rig.client.enqueue(work, { n: 2 }, { tenant: 'acme' });
    await rig.drain();
    const { id } = await rig.client.enqueue(work, { n: 3 }, { tenant: 'acme' });
    await admin.setPriority(id, 1);
    await rig.drain();
    expect(ran).toEqual([
      [1, 11],
      [2, 12],
      [3, 1],
    ]);
  });

  it('as the default of a tenant stands below an option', async () => {
    const { rig, admin, ran } = stage();
    await admin.overridePriority({ tenant: 'acme' }, 13, { default: true });
    await rig.clock.advance(1);
    await rig.client.enqueue(work, { n: 1 }, { tenant: 'acme' });
    await rig.client.enqueue(work, { n: 2 }, { tenant: 'acme', priority: 2 });
    await rig.client.enqueue(work, { n: 3 });
    await rig.drain();
    expect(ran).toHaveLength(3);
    expect(ran).toEqual(
      expect.arrayContaining([
        [1, 13],
        [2, 2],
        [3, 0],
      ]),
    );
  });

  it('that was cleared stays with the jobs that it moved', async () => {
    const { rig, admin, ran } = stage();
    await admin.overridePriority({ type: 'work' }, 15, { cascade: true });
    await rig.client.enqueue(work, { n: 1 });
    await rig.deliver();
    expect(await admin.clearPriority({ type: 'work' })).toBe('cleared');
    expect(await admin.clearPriority({ type: 'work' })).toBe('not-set');
    await rig.clock.advance(5_000);
    await rig.drain();
    await rig.client.enqueue(work, { n: 2 });
    await rig.drain();
    expect(ran).toEqual([
      [1, 15],
      [2, 0],
    ]);
    expect(await admin.priorities()).toEqual([]);
  });

  it('is refused with the field and the fix', async () => {
    const { admin } = stage();
    await expect(admin.overridePriority({ group: 'g' } as never, 1)).rejects.toThrow(/scope/);
    await expect(admin.overridePriority({ type: 'work' }, 1, { default: true })).rejects.toThrow(/default/);
    await expect(admin.overridePriority({ type: 'work' }, 'high' as never)).rejects.toThrow(/priority/);
  });
});
