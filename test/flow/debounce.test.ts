import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import type { UniqueKeyOptions } from '../../shared/job/key-conflict.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1H' });

const keyed = (debounce: UniqueKeyOptions['debounce'] = { wait: 'PT1M', maxWait: 'PT3M' }): { key: UniqueKeyOptions } => ({
  key: { value: 'k', onConflict: 'debounce', ...(debounce === undefined ? {} : { debounce }) },
});

const START = new Rig().clock.now();

function stage() {
  const ran: unknown[] = [];
  const handler = work.handle(({ payload, job }) => {
    ran.push(payload['n']);
    if (payload['fail'] === true && job.attempt === 1) throw new Error('no answer');
  });
  const rig = new Rig({ handlers: [handler] });
  return { rig, ran, put: (n: number, options: object) => rig.client.enqueue(work, { n }, options) };
}

describe('debounce', () => {
  it('puts the job off at each enqueue, and runs once with the last payload', async () => {
    const { rig, ran, put } = stage();
    const first = await put(1, keyed());
    for (const n of [2, 3]) {
      await rig.clock.advance(40 * SECOND);
      await rig.drain();
      expect(await put(n, keyed())).toMatchObject({ id: first.id, replaced: true });
    }
    await rig.clock.advance(59 * SECOND);
    await rig.drain();
    expect(ran).toEqual([]);
    await rig.clock.advance(SECOND);
    await rig.drain();
    expect(ran).toEqual([3]);
  });

  it('does not put it off beyond maxWait after the first enqueue', async () => {
    const { rig, ran, put } = stage();
    for (let n = 0; n < 5; n++) {
      await put(n, keyed());
      await rig.clock.advance(40 * SECOND);
    }
    await rig.drain();
    expect(ran).toEqual([4]);
  });

  it('begins anew after the job has started', async () => {
    const { rig, put } = stage();
    const first = await put(1, keyed());
    await rig.clock.advance(MINUTE);
    await rig.drain();
    const second = await put(2, keyed());
    expect(second.id).not.toBe(first.id);
    expect((await rig.client.get(second.id))?.dueAt.getTime()).toBe(rig.clock.now() + MINUTE);
  });

  it('begins anew for a job that waits for its next try', async () => {
    const { rig } = stage();
    const { id } = await rig.client.enqueue(work, { fail: true }, keyed());
    await rig.clock.advance(MINUTE);
    await rig.drain();
    await rig.clock.advance(30 * MINUTE);
    await rig.client.enqueue(work, { n: 2 }, keyed());
    expect((await rig.client.get(id))?.dueAt.getTime()).toBe(rig.clock.now() + MINUTE);
  });

  it('of hours waits in Timers, and costs the due message nothing', async () => {
    const { rig, ran, put } = stage();
    const hours = keyed({ wait: 'PT1H', maxWait: 'PT90M' });
    const { id } = await put(1, hours);
    await rig.clock.advance(50 * MINUTE);
    await put(2, hours);
    expect((await rig.client.get(id))?.dueAt.getTime()).toBe(rig.clock.now() + 40 * MINUTE);
    await rig.clock.advance(40 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(ran).toEqual([2]);
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('runs a job whose message was lost soon after maxWait, although its key is enqueued all the time', async () => {
    const { rig, ran, put } = stage();
    const often = keyed({ wait: 'PT5S', maxWait: 'PT15M' });
    await put(0, often);
    await rig.clock.advance(5 * SECOND);
    for (const message of rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10)) rig.hints.acknowledge(message);
    for (let n = 1; ran.length === 0 && n < 600; n++) {
      await put(n, often);
      await rig.clock.advance(2 * SECOND);
      if (n % 30 === 0) await rig.sweep();
      await rig.drain();
    }
    expect(ran).toHaveLength(1);
    // The rest of the wait, then `redispatchAfter`, then a tick of the sweeper.
    expect(rig.clock.now() - START).toBeLessThanOrEqual(15 * MINUTE + 2 * MINUTE + MINUTE);
  });

  it('that puts a job of a group off does not hold up the next job of the group', async () => {
    const { rig, ran, put } = stage();
    const minutes = { ...keyed({ wait: 'PT10M' }), group: 'g' };
    await put(1, minutes);
    await rig.clock.advance(9.5 * MINUTE);
    await put(2, minutes);
    await rig.clock.advance(MINUTE / 2);
    await rig.drain();
    await put(3, { group: 'g' });
    await rig.drain();
    expect(ran).toEqual([3]);
    await rig.clock.advance(9.5 * MINUTE);
    await rig.drain();
    expect(ran).toEqual([3, 2]);
  });

  it('that maxWait cuts short moves the time by which the job has to start', async () => {
    const { rig, put } = stage();
    const cut = keyed({ wait: 'PT30M', maxWait: 'PT31M' });
    const { id } = await put(1, { ...cut, startWithin: 'PT1M' });
    await rig.clock.advance(29 * MINUTE);
    await put(2, { ...cut, startWithin: 'PT1M' });
    await rig.clock.advance(20 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'expired' });
  });

  it('that maxWait cuts short leaves an instant by which the job has to start', async () => {
    const { rig, put } = stage();
    const cut = keyed({ wait: 'PT30M', maxWait: 'PT31M' });
    const startBy = new Date(START + 60 * MINUTE).toISOString();
    await put(1, { ...cut, startBy });
    await rig.clock.advance(29 * MINUTE);
    await put(2, { ...cut, startBy });
    expect([...(await rig.rows('timers')), ...(await rig.rows('jobs'))]).toMatchObject([{ startBy }]);
  });
});
