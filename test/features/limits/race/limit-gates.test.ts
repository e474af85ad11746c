import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import type { Row } from '../../../../shared/ports/tables.ts';
import { faultyRig, type FaultyRig } from '../../../support/faulty-rig.ts';
import { type Aim, aimAt, aimAtChangeOf } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const one = defineLimit('one', { concurrency: 1 });
const [loose, tight] = [defineLimit('a-loose', { rate: 1, per: 'PT1M' }), defineLimit('b-tight', { rate: 1, per: 'PT1M' })];
const limited = defineJob('limited', { payload: anyPayload, limits: [one] });
const rated = defineJob('rated', { payload: anyPayload, limits: [tight] });
const twice = defineJob('twice', { payload: anyPayload, limits: [loose, tight] });

function stage() {
  const ran: unknown[] = [];
  let end = (): void => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const handlers = [limited, rated, twice].map((type) =>
    type.handle(async ({ payload }) => {
      ran.push(payload['n']);
      if (payload['held'] === true) await held;
    }),
  );
  return { rig: faultyRig({ handlers }), ran, end };
}

const executeAll = async (rig: FaultyRig): Promise<unknown> =>
  Promise.all(rig.hints.receive(QUEUE, 100).map((message) => rig.execute([message])));
const slots = async (rig: FaultyRig): Promise<readonly Row[]> =>
  (await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'));
const isSlot: Aim = (writes) =>
  writes.some((write) => write.op === 'put' && write.table === 'control' && String(write.row['sk']).startsWith('slot#'));

describe('a job that takes a slot', () => {
  it('gives it back when it is not known whether it was taken', async () => {
    const { rig } = stage();
    await rig.client.enqueue(limited, {});
    rig.faults.next(isSlot, 'lost-for-good', 1);
    await executeAll(rig);
    expect(rig.faults.pending()).toBe(0);
    expect(await slots(rig)).toEqual([]);
  });

  it('leaves it to the claim that came after its own, when it stood still on its way', async () => {
    const { rig, ran, end } = stage();
    const { id } = await rig.client.enqueue(limited, { n: 'first', held: true });
    let later: Promise<unknown> | undefined;
    const query = rig.tables.query.bind(rig.tables);
    rig.tables.query = async (asked) => {
      if (asked.table === 'control' && asked.partition.startsWith('limit#') && later === undefined) {
        later = Promise.resolve();
        await rig.clock.advance(20 * MINUTE);
        await rig.sweep();
        later = executeAll(rig);
        await rig.settle();
      }
      return query(asked);
    };
    await executeAll(rig);
    expect(ran).toEqual(['first']);
    const { lockOwner } = (await rig.tables.get('jobs', { id })) ?? {};
    expect(await slots(rig)).toMatchObject([{ claim: lockOwner }]);
    await rig.client.enqueue(limited, { n: 'second' });
    await executeAll(rig);
    expect(ran).toEqual(['first']);
    end();
    await later;
    await rig.drain();
    expect(ran).toEqual(['first', 'second']);
  });
});

describe('a job that is asked to end on its way', () => {
  it('to its place behind a limit ends as cancelled at once', async () => {
    const { rig, end } = stage();
    await rig.client.enqueue(limited, { held: true });
    const running = executeAll(rig);
    await rig.settle();
    const { id } = await rig.client.enqueue(limited, {});
    rig.faults.before(aimAt('put', 'timers'), async () => rig.client.cancel(id));
    await executeAll(rig);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    end();
    await running;
  });

  it('to the start that it booked ends as cancelled at once', async () => {
    const { rig } = stage();
    await rig.client.enqueue(rated, {});
    await executeAll(rig);
    const { id } = await rig.client.enqueue(rated, {});
    rig.faults.before(aimAtChangeOf('booked'), async () => rig.client.cancel(id));
    await executeAll(rig);
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });
});

describe('jobs under a rate', () => {
  it('that book at the same instant book starts of their own', async () => {
    const { rig } = stage();
    for (let n = 0; n < 6; n++) await rig.client.enqueue(rated, { n });
    await executeAll(rig);
    const dueAts = (await rig.rows('jobs')).map(({ dueAt }) => String(dueAt));
    expect(dueAts).toHaveLength(5);
    expect(new Set(dueAts).size).toBe(5);
  });

  it('do not take the start that another has booked', async () => {
    const { rig, ran } = stage();
    for (let n = 0; n < 2; n++) {
      await rig.client.enqueue(rated, { n });
      await executeAll(rig);
    }
    await rig.clock.advance(MINUTE + 2 * SECOND);
    const booked = rig.hints.receive(QUEUE, 10);
    expect(booked).toHaveLength(1);
    await rig.client.enqueue(rated, { n: 2 });
    await executeAll(rig);
    expect(ran).toEqual([0]);
    await Promise.all(booked.map((message) => rig.execute([message])));
    expect(ran).toEqual([0, 1]);
  });

  it('do not start when another was faster under the first of two rates', async () => {
    const { rig, ran } = stage();
    await rig.client.enqueue(twice, { n: 'twice' });
    const now = rig.clock.now();
    rig.faults.before(isSlot, async () => {
      const [slot] = (await rig.rows('control')).filter(({ limit }) => limit === 'a-loose');
      expect(slot).toBeUndefined();
      await rig.client.enqueue(defineJob('loose', { payload: anyPayload, limits: [loose] }), { n: 'loose' });
      const handlers = new Map([
        ['loose', defineJob('loose', { payload: anyPayload, limits: [loose] }).handle(() => void ran.push('loose'))],
      ]);
      await Promise.all(rig.hints.receive(QUEUE, 10).map((message) => rig.execute([message], { ...rig.deps, handlers })));
    });
    await executeAll(rig);
    expect(rig.faults.pending()).toBe(0);
    expect(ran).toEqual(['loose']);
    expect(Date.parse(String((await rig.rows('jobs'))[0]?.['dueAt']))).toBeGreaterThanOrEqual(now + MINUTE - SECOND);
  });
});
