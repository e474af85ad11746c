import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { bury } from '../../shared/store/bury.ts';
import { faultyRig, loseMessages, take } from '../support/faulty-rig.ts';
import { aimAt, aimAtChangeOf, type Fault } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

describe('a completion whose reply is lost for good', () => {
  it.each([
    ['without a key', {}, 'outcome'],
    ['with a key', { key: 'k' }, 'outcome'],
    ['with durable history', {}, 'durable'],
  ] as const)('%s counts as completed, and History keeps it', async (_name, options, history) => {
    const rig = faultyRig({ history, handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {}, options);
    rig.faults.next(aimAt('delete', 'jobs'), 'lost-for-good');
    await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)));
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    expect({ completed: rig.journal.count('completed'), failed: rig.journal.count('store-failed') }).toEqual({ completed: 1, failed: 0 });
  });
});

describe('a group lock whose reply is lost', () => {
  it.each([[['lost-for-good']], [['lost-for-good', 'unavailable']]] as [Fault[]][])(
    '(%j) does not block the group for the length of a lease',
    async (faults) => {
      const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
      await rig.client.enqueue(work, {}, { group: 'g' });
      for (const fault of faults) rig.faults.next(aimAt('put', 'control'), fault);
      await rig.drain();
      expect(rig.faults.pending()).toBe(0);
      await rig.clock.advance(rig.deployment.settings.leaseMarginMs);
      await rig.drain();
      expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
    },
  );
});

describe('a store that does not answer is no crash', () => {
  it('of a job that was never run: the claim whose reply was lost is undone', async () => {
    const run = vi.fn();
    const rig = faultyRig({ handlers: [work.handle(run)], settings: { crashLimit: 1 } });
    const { id } = await rig.client.enqueue(work, {});
    const [first] = rig.hints.receive(DEFAULT, 1);
    if (first) await rig.hints.postpone(first, 0);
    rig.faults.next(aimAtChangeOf('starts'), 'lost-for-good');
    rig.faults.next(aimAtChangeOf('starts'), 'unavailable');
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    for (let minutes = 0; minutes < 8; minutes++) {
      await rig.clock.advance(MINUTE);
      await rig.sweep();
      await rig.drain();
    }
    expect(run).toHaveBeenCalledTimes(1);
    expect(rig.journal.count('crashed')).toBe(0);
    expect((await rig.client.get(id))?.state).toBe('finished');
  });

  it.each([
    ['is found by asking again', ['lost-for-good']],
    ['is undone when asking again fails too', ['lost-for-good', 'unavailable']],
  ] as [string, Fault[]][])('of a job that is taken over: a take-over whose reply is lost %s', async (_name, faults) => {
    const run = vi.fn();
    const rig = faultyRig({ handlers: [work.handle(run)], settings: { crashLimit: 1 } });
    const { id } = await rig.client.enqueue(work, {});
    loseMessages(rig);
    await take(rig, id, MINUTE, false);
    await rig.clock.advance(2 * MINUTE);
    rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n: 1, alone: 1 }));
    for (const fault of faults) rig.faults.next(aimAtChangeOf('crashes', 'starts'), fault);
    for (let minutes = 0; minutes < 8; minutes++) {
      await rig.drain();
      await rig.clock.advance(MINUTE);
    }
    expect(rig.faults.pending()).toBe(0);
    expect(run).toHaveBeenCalledTimes(1);
    expect((await rig.client.get(id))?.state).toBe('finished');
  });
});

describe('two actors that bury one crash', () => {
  it('make one dead letter, and the one that comes second is told that it lost', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const job = await take(rig, id);
    const burial = (at: number) => ({ reason: 'crash-loop', error: { name: 'E', message: 'm', at } }) as const;
    expect(await bury(rig.tables, job, burial(1))).toMatchObject({ result: 'dead' });
    expect(await bury(rig.tables, job, { ...burial(2), requestId: 'r' })).toEqual({ result: 'lost' });
    expect((await rig.counts()).deadLetters).toBe(1);
  });
});
