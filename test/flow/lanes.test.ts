import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import { idKey, timerKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';

const HOUR = 3_600_000;
const LANES = {
  default: {
    lanes: { urgent: 'q/urgent', default: 'q/default', timers: 'q/timers' },
    from: { urgent: 10 },
    fifo: 'q/default.fifo',
    deadLetterQueue: 'q/dlq',
    fifoDeadLetterQueue: 'q/dlq.fifo',
  },
};
const queue = (lane: string): QueueRef => ({ worker: 'default', lane, kind: 'standard' });
const plain = defineJob('plain', { payload: anyPayload });
const typed = defineJob('typed', { payload: anyPayload, priority: ({ n }) => (n === undefined ? undefined : Number(n)) });

/** A rig whose handler notes what it runs, one job after the other. */
function noting(options: RigOptions = {}): { readonly rig: Rig; readonly ran: string[] } {
  const ran: string[] = [];
  const handlers = [plain, typed].map((type) => type.handle(({ payload }) => void ran.push(String(payload['name']))));
  return { ran, rig: new Rig({ workers: LANES, handlers, settings: { batchConcurrency: 1 }, ...options }) };
}

async function stored(rig: Rig, id: string) {
  const row = (await rig.tables.get('jobs', idKey(id))) ?? (await rig.tables.get('timers', timerKey(id)));
  return { priority: row?.['priority'], from: row?.['priorityFrom'], lane: row?.['lane'] };
}

describe('the priority of a job', () => {
  it('is that of the enqueue option, then of the type, then of the worker, then 0, and says its lane', async () => {
    const withDefault = new Rig({ workers: { default: { ...LANES.default, priority: 12 } } });
    const without = new Rig({ workers: LANES });
    const priorities = async (rig: Rig) =>
      Promise.all(
        [rig.client.enqueue(typed, { n: 11 }, { priority: 3 }), rig.client.enqueue(typed, { n: 11 }), rig.client.enqueue(typed, {})].map(
          async (enqueued) => stored(rig, (await enqueued).id),
        ),
      );
    const [option, type, worker] = await priorities(withDefault);
    expect(option).toEqual({ priority: 3, from: 'option', lane: 'default' });
    expect(type).toEqual({ priority: 11, from: 'type', lane: 'urgent' });
    expect(worker).toEqual({ priority: 12, from: 'worker', lane: 'urgent' });
    expect((await priorities(without))[2]).toEqual({ priority: 0, from: undefined, lane: 'default' });
  });

  it('holds when it is 0, negative or as large as can be', async () => {
    const rig = new Rig({ workers: { default: { ...LANES.default, priority: 50 } } });
    for (const [priority, lane] of [
      [0, 'default'],
      [-7, 'default'],
      [9, 'default'],
      [10, 'urgent'],
      [Number.MAX_SAFE_INTEGER, 'urgent'],
    ] as const) {
      const { id } = await rig.client.enqueue(plain, {}, { priority });
      expect(await stored(rig, id)).toEqual({ priority, from: 'option', lane });
    }
  });

  it('that is no whole number is refused before anything is written', async () => {
    const rig = new Rig({ workers: LANES });
    for (const priority of [1.5, Number.NaN, '5' as never]) {
      await expect(rig.client.enqueue(plain, {}, { priority })).rejects.toThrow(/^priority: .*Use a whole number/);
    }
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('does not change when the job is tried again', async () => {
    const fails = defineJob('fails', { payload: anyPayload, retry: 'R3/PT1S', priority: 10 });
    const rig = new Rig({
      workers: LANES,
      handlers: [
        fails.handle(() => {
          throw new Error('not yet');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(fails, {});
    await rig.deliver();
    expect(await stored(rig, id)).toEqual({ priority: 10, from: 'type', lane: 'urgent' });
    await rig.clock.advance(1_000);
    expect(rig.hints.receive(queue('urgent'), 10)).toHaveLength(1);
  });
});

describe('a lane', () => {
  it('has the jobs of its priorities in its own queue, and a busy lane keeps no other waiting', async () => {
    const { rig, ran } = noting();
    await rig.client.enqueueMany(
      plain,
      Array.from({ length: 30 }, (_, n) => ({ name: `bulk ${n}` })),
    );
    await rig.client.enqueue(plain, { name: 'urgent' }, { priority: 10 });
    expect(await rig.hints.visible(queue('default'))).toBe(30);
    await rig.execute(rig.hints.receive(queue('urgent'), 10));
    expect(ran).toEqual(['urgent']);
    await rig.drain();
    expect(ran).toHaveLength(31);
  });

  it('of timers has fired timers whatever their priority, and nothing else', async () => {
    const { rig, ran } = noting();
    const timer = await rig.client.enqueue(plain, { name: 'timer' }, { delay: HOUR, priority: 99 });
    expect(await stored(rig, timer.id)).toMatchObject({ lane: 'timers', priority: 99 });
    const soon = await rig.client.enqueue(plain, { name: 'soon' }, { delay: 1_000 });
    expect(await stored(rig, soon.id)).toMatchObject({ lane: 'default' });
    await rig.clock.advance(HOUR);
    await rig.fire();
    await rig.execute(rig.hints.receive(queue('timers'), 10));
    expect(ran).toEqual(['timer']);
  });

  it('that a deployment took away leaves no job behind: the sweeper sends it to the lane of its priority', async () => {
    const before = noting();
    await before.rig.client.enqueue(plain, { name: 'bulk' });
    await before.rig.client.enqueue(plain, { name: 'urgent' }, { priority: 10 });
    // The lanes have other names now, and their old queues went with the old stack.
    const workers = { default: { ...LANES.default, lanes: { high: 'q/high', low: 'q/low' }, from: { high: 5 } } };
    const { tables, clock } = before.rig;
    const { rig, ran } = noting({ workers, tables, clock });
    await rig.deliver();
    expect(ran).toEqual([]);
    await rig.clock.advance(2 * HOUR);
    await rig.sweep();
    await rig.execute(rig.hints.receive(queue('high'), 10));
    expect(ran).toEqual(['urgent']);
    await rig.execute(rig.hints.receive(queue('low'), 10));
    expect(ran).toEqual(['urgent', 'bulk']);
    expect((await rig.counts()).jobs).toBe(0);
  });
});

describe('within a batch', () => {
  it('jobs start by priority, then by the time at which they were first due', async () => {
    const { rig, ran } = noting();
    const now = rig.clock.now();
    const enqueue = (name: string, priority: number, ago: number) =>
      rig.client.enqueue(plain, { name }, { priority, id: rig.client.newId({ runAt: new Date(now + 60_000 - ago) }) });
    for (const [name, priority, ago] of [
      ['later', 1, 0],
      ['earlier', 1, 500],
      ['last', -5, 900],
      ['first', 9, 0],
      ['plain', 0, 1_000],
    ] as const) {
      await enqueue(name, priority, ago);
    }
    await rig.clock.advance(61_000);
    await rig.execute(rig.hints.receive(queue('default'), 10));
    expect(ran).toEqual(['first', 'earlier', 'later', 'plain', 'last']);
  });

  it('jobs of a group keep the order of their queue', async () => {
    const { rig, ran } = noting();
    for (const [name, priority] of [
      ['one', 0],
      ['two', 9],
      ['three', 5],
    ] as const) {
      await rig.client.enqueue(plain, { name }, { priority, group: 'g' });
    }
    await rig.client.enqueue(plain, { name: 'other' }, { priority: 1, group: 'h' });
    await rig.execute(rig.hints.receive({ worker: 'default', lane: '', kind: 'fifo' }, 10));
    expect(ran).toEqual(['other', 'one', 'two', 'three']);
  });
});
