import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { writeRateSlot } from '../../../../shared/features/limits/store/slots.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

const perMinute = (n: number) => defineLimit('per-minute', { rate: n, per: 'PT1M' });

interface Starts {
  readonly rig: Rig;
  readonly at: number[];
  readonly enqueue: (count: number) => Promise<string[]>;
}

function starts(n: number, fail = 0): Starts {
  const at: number[] = [];
  const limited = defineJob('limited', { payload: anyPayload, limits: [perMinute(n)], retry: 'R3/PT1S' });
  const rig: Rig = new Rig({
    handlers: [
      limited.handle(({ job }) => {
        at.push(rig.clock.now());
        if (job.failures < fail) throw new Error('asked to');
      }),
    ],
  });
  let made = 0;
  return {
    rig,
    at,
    enqueue: async (count) => {
      const ids: string[] = [];
      for (let left = count; left > 0; left--) {
        ids.push((await rig.client.enqueue(limited, { n: made++ })).id);
        await rig.drain();
        await rig.clock.advance(1);
      }
      return ids;
    },
  };
}

/** Lets time pass in seconds, with ticks, and delivers. */
async function run(rig: Rig, ms: number): Promise<void> {
  for (let second = 0; second < ms / SECOND; second++) {
    await rig.drain();
    await rig.clock.advance(SECOND);
    if (second % 60 === 59) await rig.fire();
  }
}

/** The most starts in any stretch of `ms`. */
const densest = (at: readonly number[], ms: number): number =>
  Math.max(0, ...at.map((from) => at.filter((one) => one >= from && one < from + ms).length));

describe('a limit on how many start in a period', () => {
  it('lets no more start in any stretch of a period, and hardly fewer', async () => {
    const { rig, at, enqueue } = starts(3);
    const due: number[] = [];
    for (let n = 0; n < 12; n++) {
      const [id = ''] = await enqueue(1);
      await rig.drain();
      due.push((await rig.client.get(id))?.dueAt.getTime() ?? 0);
    }
    expect(due).toEqual(due.toSorted((a, b) => a - b));
    await run(rig, 5 * MINUTE);
    expect(at).toHaveLength(12);
    expect(densest(at, MINUTE)).toBe(3);
    expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeLessThan(3 * MINUTE + 10 * SECOND);
  });

  it('keeps the mark of a job that is to run alone, also on the hint for the start that it booked', async () => {
    const { rig, enqueue } = starts(1);
    await enqueue(1);
    await rig.drain();
    const { id } = await rig.client.enqueue(defineJob('limited', { payload: anyPayload }), {});
    const bodies = (messages: readonly { readonly body: string }[]) =>
      messages.map(({ body }) => JSON.parse(body) as { readonly id: string; readonly alone?: number });
    const messages = rig.queues.flatMap((queue) => rig.hints.receive(queue, 10));
    await rig.execute(messages.map((message) => ({ ...message, body: JSON.stringify({ ...bodies([message])[0], alone: 1 }) })));
    expect(String((await rig.tables.get('jobs', { id }))?.['lockOwner'])).toMatch(/^queue\/0\/alone\//);
    await rig.clock.advance(2 * MINUTE);
    expect(bodies(rig.queues.flatMap((queue) => rig.hints.receive(queue, 10)))).toMatchObject([{ id, alone: 1 }]);
  });

  it('makes a job wait at the price of no attempt, and of one more receive', async () => {
    const { rig, enqueue } = starts(1);
    const [, second = ''] = await enqueue(2);
    await rig.drain();
    expect(await rig.client.get(second)).toMatchObject({ state: 'ready', attempts: 0, failures: 0 });
    await run(rig, 2 * MINUTE);
    expect(rig.journal.count('given-back')).toBe(1);
    expect(await rig.client.get(second)).toMatchObject({ state: 'finished', attempts: 1 });
  });

  it('lets a job that must wait beyond the delay horizon wait in Timers', async () => {
    const { rig, at, enqueue } = starts(1);
    const ids = await enqueue(20);
    await rig.drain();
    expect(await rig.client.get(ids.at(-1) ?? '')).toMatchObject({ state: 'waiting' });
    await run(rig, 25 * MINUTE);
    expect(at).toHaveLength(20);
    expect(densest(at, MINUTE)).toBe(1);
  });

  it('counts a retry as a start of its own', async () => {
    const { rig, at, enqueue } = starts(1, 1);
    await enqueue(2);
    await run(rig, 6 * MINUTE);
    expect(at).toHaveLength(4);
    expect(densest(at, MINUTE)).toBe(1);
  });

  it('stays strict when booked jobs come late, all at once', async () => {
    const { rig, at, enqueue } = starts(2);
    await enqueue(10);
    await rig.drain();
    await rig.clock.advance(10 * MINUTE);
    await run(rig, 6 * MINUTE);
    expect(at).toHaveLength(10);
    expect(densest(at, MINUTE)).toBe(2);
  });

  it('stays strict when booked jobs come late together while starts after theirs are booked', async () => {
    const { rig, at, enqueue } = starts(1);
    await enqueue(8);
    await rig.drain();
    await rig.clock.advance(4 * MINUTE);
    await run(rig, 8 * MINUTE);
    expect(at).toHaveLength(8);
    expect(densest(at, MINUTE)).toBe(1);
  });

  it('keeps the starts that others booked when an earlier one is used', async () => {
    const { rig, at, enqueue } = starts(1);
    const ids = await enqueue(5);
    await run(rig, 65 * SECOND);
    expect(at).toHaveLength(2);
    ids.push(...(await enqueue(1)));
    const due = await Promise.all(ids.slice(-2).map(async (id) => (await rig.client.get(id))?.dueAt.getTime() ?? 0));
    expect(due[1]).toBeGreaterThan((due[0] ?? 0) + MINUTE);
  });

  it('counts a start from when it was written, however long the write took', async () => {
    const { rig, at, enqueue } = starts(1);
    const write = rig.tables.write.bind(rig.tables);
    let slow = true;
    rig.tables.write = async (one, window) => {
      const outcome = await write(one, window);
      if (slow && one.op === 'put' && String(one.row['sk']).startsWith('slot#')) {
        slow = false;
        await rig.clock.advance(10 * SECOND);
      }
      return outcome;
    };
    await enqueue(2);
    await run(rig, 3 * MINUTE);
    expect(at).toHaveLength(2);
    expect(densest(at, MINUTE)).toBe(1);
  });

  it('gives one start to one of two jobs that ask at the same instant, though both would write the same', async () => {
    const { rig } = starts(1);
    const rate = { hash: 'h', name: 'r', n: 1, perMs: MINUTE };
    const [until, startedAt] = [rig.clock.now() + 2 * MINUTE, rig.clock.now()];
    const seen = { index: 0, owner: 'job/later', until };
    expect(await writeRateSlot(rig.tables, rate, seen, undefined)).toBe(true);
    const asked = (claim: string): Promise<boolean> => writeRateSlot(rig.tables, rate, { ...seen, claim, startedAt }, seen);
    expect([await asked('run/a'), await asked('run/b'), await asked('run/a')]).toEqual([true, false, true]);
  });

  it('takes no start under one rate when another has none', async () => {
    const at: number[] = [];
    const [loose, tight] = [defineLimit('a-loose', { rate: 5, per: 'PT1M' }), defineLimit('b-tight', { rate: 1, per: 'PT1M' })];
    const both = defineJob('both', { payload: anyPayload, limits: [loose, tight] });
    const only = defineJob('only', { payload: anyPayload, limits: [loose] });
    const rig: Rig = new Rig({
      handlers: [both.handle(() => void at.push(rig.clock.now())), only.handle(() => void at.push(rig.clock.now()))],
    });
    for (let n = 0; n < 3; n++) {
      await rig.client.enqueue(both, {});
      await rig.drain();
    }
    expect(at).toHaveLength(1);
    await rig.client.enqueue(only, {});
    await rig.drain();
    expect(at).toHaveLength(2);
    await run(rig, 3 * MINUTE);
    expect(at).toHaveLength(4);
  });
});
