import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

describe('a lost reply is not a lost race', () => {
  it('when claiming', async () => {
    const run = vi.fn();
    const rig = faultyRig({ handlers: [work.handle(run)] });
    await rig.client.enqueue(work, {});
    rig.faults.next(aimAt('update', 'jobs'), 'lost-reply');
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(rig.journal.count('ambiguous-resolved')).toBe(1);
    expect(rig.faults.pending()).toBe(0);
  });

  it('when claiming and the SDK gives up: asking again finds the own lease', async () => {
    const run = vi.fn();
    const rig = faultyRig({ handlers: [work.handle(run)] });
    await rig.client.enqueue(work, {});
    rig.faults.next(aimAt('update', 'jobs'), 'lost-for-good');
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  it('when completing', async () => {
    const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
    await rig.client.enqueue(work, {});
    rig.faults.next(aimAt('delete', 'jobs'), 'lost-reply');
    await rig.drain();
    expect(rig.journal.count('completed')).toBe(1);
    expect(rig.journal.count('lost-lease')).toBe(0);
    expect(rig.faults.pending()).toBe(0);
  });

  it.each(['lost-reply', 'lost-for-good', 'unavailable'] as const)(
    'when a retry goes back to the queue (%s): the hint is sent',
    async (fault) => {
      let runs = 0;
      const rig = faultyRig({
        handlers: [
          work.handle(() => {
            if (++runs === 1) throw new Error('once');
          }),
        ],
      });
      const { id } = await rig.client.enqueue(work, {}, { retry: 'R3/PT30S' });
      const giveBack = (writes: readonly { op: string }[]): boolean =>
        writes.some((write) => write.op === 'update' && 'add' in write && 'failures' in (write.add as object));
      rig.faults.next(giveBack, fault);
      await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)));
      await rig.clock.advance(30_000);
      await rig.drain();
      expect(rig.faults.pending()).toBe(0);
      expect(runs).toBe(2);
      expect(await rig.client.get(id)).toMatchObject({ state: 'finished', failures: 1 });
    },
  );

  it.each(['lost-reply', 'lost-for-good'] as const)('when firing a timer (%s): it fires once and runs once', async (fault) => {
    const run = vi.fn();
    const rig = faultyRig({ handlers: [work.handle(run)] });
    await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(60 * MINUTE);
    rig.faults.next(aimAt('delete', 'timers'), fault);
    await rig.fire();
    await rig.fire();
    await rig.clock.advance(5 * MINUTE);
    await rig.sweep();
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('when enqueueing with a key: the own key row is no duplicate', async () => {
    const rig = faultyRig();
    rig.faults.next(aimAt('put', 'jobs'), 'lost-reply');
    expect((await rig.client.enqueue(work, {}, { key: 'k' })).duplicate).toBe(false);
    expect(rig.faults.pending()).toBe(0);
  });
});

describe('an edit while a job moves (edit-under-move)', () => {
  const failing = work.handle(() => {
    throw new Error('no');
  });
  const movesJob = aimAt('put', 'timers');

  it('travels along: the payload that an operator changed is the one that waits', async () => {
    const rig = faultyRig({ handlers: [failing] });
    const { id } = await rig.client.enqueue(work, { v: 1 }, { retry: 'R3/PT1H' });
    rig.faults.before(movesJob, async () =>
      rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { payload: '{"v":2}' }, add: { rev: 1 } }),
    );
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', payload: { v: 2 }, failures: 1 });
  });

  it.each([
    ['to Timers', 'R3/PT1H', movesJob],
    ['to the dead letters', 'never', aimAt('put', 'deadLetters')],
    [
      'to its queue',
      'R3/PT1M',
      (writes: readonly { op: string }[]) => writes.some((write) => 'add' in write && 'failures' in (write.add as object)),
    ],
  ])('that asks for a cancel wins when the job is on its way %s', async (_name, retry, aim) => {
    const rig = faultyRig({ handlers: [failing] });
    const { id } = await rig.client.enqueue(work, {}, { retry, key: 'k' });
    rig.faults.before(aim, async () => expect(await rig.client.cancel(id)).toBe('cancel-requested'));
    await rig.drain();
    expect(rig.faults.pending()).toBe(0);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
    // The group of a death that did not come about stays, and counts none.
    expect((await rig.rows('control')).filter(({ pk, seen }) => pk !== 'error-groups' || seen !== 0)).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'cancelled' });
  });
});
