import { describe, expect, it } from 'vitest';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { defineLimit } from '../../../../shared/job/limit.ts';
import { isParked } from '../../../../shared/store/rows.ts';
import { faultyRig, type FaultyRig } from '../../../support/faulty-rig.ts';
import { aimAt } from '../../../support/faulty-tables.ts';
import { anyPayload } from '../../../support/rig.ts';

const MINUTE = 60_000;
const QUEUE = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const limited = defineJob('limited', { payload: anyPayload, limits: [defineLimit('limited', { concurrency: 2 })] });
const rated = defineJob('rated', { payload: anyPayload, limits: [defineLimit('rated', { rate: 3, per: 'PT1M' })] });

/**
 * A rig whose handlers hold their slots until every other executor has come to rest, however slow the store is; or, where the payload says
 * `hurried`, only until two have run at once, so that slots change hands while others look for one. And the most that ran at once.
 */
function busyRig(): { readonly rig: FaultyRig; readonly most: () => number; readonly starts: number[] } {
  let [running, most] = [0, 0];
  let meet = (): void => {};
  const met = new Promise<void>((resolve) => (meet = resolve));
  const starts: number[] = [];
  const rig: FaultyRig = faultyRig({
    handlers: [
      limited.handle(async ({ payload }) => {
        most = Math.max(most, ++running);
        if (running === 2) meet();
        await Promise.race([rig.settle(), ...(payload['hurried'] === true ? [met] : [])]);
        running--;
      }),
      rated.handle(() => void starts.push(rig.clock.now())),
    ],
  });
  return { rig, most: () => most, starts };
}

/** Two jobs that run until `end`, and others that are parked behind them. */
async function full(waiting: number): Promise<{ readonly rig: FaultyRig; readonly end: () => Promise<unknown> }> {
  let end = (): void => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const rig = faultyRig({ handlers: [limited.handle(({ payload }) => (payload['held'] === true ? held : undefined))] });
  await rig.client.enqueueMany(limited, [{ held: true }, { held: true }]);
  const holders = deliverAllAtOnce(rig);
  await rig.settle();
  for (let n = 0; n < waiting; n++) {
    await rig.client.enqueue(limited, {});
    await deliverAllAtOnce(rig);
    await rig.clock.advance(1);
  }
  return { rig, end: () => (end(), holders) };
}

/** Every message in an invocation of its own, all at the same time. */
async function deliverAllAtOnce(rig: FaultyRig): Promise<number> {
  const messages = rig.hints.receive(QUEUE, 1_000);
  await Promise.all(messages.map((message) => rig.execute([message])));
  return messages.length;
}

const parked = async (rig: FaultyRig): Promise<number> => (await rig.rows('timers')).filter(({ shard }) => isParked(shard)).length;
const isRelease = (writes: readonly { readonly op: string; readonly table: string }[]): boolean =>
  writes.length === 3 && writes[0]?.op === 'delete' && writes[0].table === 'timers';

describe('a limit on how many run at once', () => {
  it('holds when thirty executors look for room at the same time, and no job is left parked', async () => {
    const { rig, most } = busyRig();
    await rig.client.enqueueMany(
      limited,
      Array.from({ length: 30 }, () => ({ hurried: true })),
    );
    for (let round = 0; round < 60 && (await deliverAllAtOnce(rig)) > 0; round++);
    expect(most()).toBe(2);
    expect(await parked(rig)).toBe(0);
    expect(rig.journal.count('completed')).toBe(30);
    expect((await rig.rows('control')).filter(({ sk }) => String(sk).startsWith('slot#'))).toEqual([]);
  });

  it('gives a place to one job when the acquirer looks while a holder hands it over', async () => {
    const { rig, most } = busyRig();
    for (let n = 0; n < 4; n++) await rig.client.enqueue(limited, {});
    rig.faults.before(isRelease, () => rig.fire());
    for (let round = 0; round < 20 && (await deliverAllAtOnce(rig)) > 0; round++);
    expect(rig.faults.pending()).toBe(0);
    expect(most()).toBe(2);
    expect(rig.journal.count('released')).toBe(2);
    expect(rig.journal.count('completed')).toBe(4);
  });

  it('takes the next one when the job that waits longest is cancelled while it is released', async () => {
    const { rig } = busyRig();
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await rig.client.enqueue(limited, {})).id);
    let cancelled = '';
    rig.faults.before(isRelease, async () => {
      const first = (await rig.rows('timers')).toSorted((a, b) => (String(a['due']) < String(b['due']) ? -1 : 1))[0];
      cancelled = String(first?.['id']);
      expect(await rig.client.cancel(cancelled)).toBe('cancelled');
    });
    for (let round = 0; round < 20 && (await deliverAllAtOnce(rig)) > 0; round++);
    expect(rig.faults.pending()).toBe(0);
    expect(ids).toContain(cancelled);
    expect(await rig.client.get(cancelled)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
    expect(rig.journal.count('completed')).toBe(4);
  });

  it('is not stretched by a reply that was lost when a slot was taken', async () => {
    const { rig, most } = busyRig();
    rig.faults.next(aimAt('put', 'control'), 'lost-reply', 3);
    for (let n = 0; n < 6; n++) await rig.client.enqueue(limited, {});
    for (let round = 0; round < 40 && (await deliverAllAtOnce(rig)) > 0; round++);
    expect(rig.faults.pending()).toBe(0);
    expect(most()).toBe(2);
    expect(rig.journal.count('completed')).toBe(6);
    expect(rig.journal.count('parked')).toBe(rig.journal.count('released'));
  });

  it('goes on at a tick when its holders could not hand their slots over', async () => {
    const { rig, end } = await full(1);
    rig.faults.next(isRelease, 'unavailable', 2);
    await end();
    expect(rig.faults.pending()).toBe(0);
    expect(await parked(rig)).toBe(1);
    await rig.clock.advance(6 * MINUTE);
    expect((await rig.fire()).released).toBe(1);
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(3);
  });

  it('passes over a parked job that cannot be read, and sets it aside', async () => {
    const { rig, end } = await full(2);
    const [oldest] = (await rig.rows('timers')).toSorted((a, b) => (String(a['due']) < String(b['due']) ? -1 : 1));
    await rig.tables.write({ op: 'put', table: 'timers', row: { ...oldest, rev: 'seven' } });
    await end();
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(3);
    expect(await rig.counts()).toMatchObject({ timers: 0, jobs: 0, deadLetters: 1 });
  });

  it('does not forget a limit under which a job is just being parked', async () => {
    const { rig } = busyRig();
    await rig.client.enqueue(limited, {});
    await deliverAllAtOnce(rig);
    await rig.tables.write({
      op: 'put',
      table: 'control',
      row: { pk: 'parked', sk: 'empty', limit: 'x', n: 1, seenAt: new Date(rig.clock.now()).toISOString() },
    });
    await rig.fire();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'parked')).toHaveLength(1);
    await rig.clock.advance(31 * MINUTE);
    await rig.fire();
    expect((await rig.rows('control')).filter(({ pk }) => pk === 'parked')).toEqual([]);
  });
});

describe('a limit on how many start in a period', () => {
  it('holds when twenty executors ask for a start at the same time', async () => {
    const { rig, starts } = busyRig();
    await rig.client.enqueueMany(
      rated,
      Array.from({ length: 20 }, () => ({})),
    );
    for (let second = 0; second < 12 * 60; second++) {
      await deliverAllAtOnce(rig);
      await rig.clock.advance(1_000);
    }
    expect(starts).toHaveLength(20);
    for (const from of starts) expect(starts.filter((at) => at >= from && at < from + MINUTE).length).toBeLessThanOrEqual(3);
  });
});
