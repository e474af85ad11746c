import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import type { LeasedJob } from '../../shared/job/job.ts';
import { snooze } from '../../shared/job/verdict.ts';
import { bury } from '../../shared/store/bury.ts';
import { complete } from '../../shared/store/complete.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { runAgainLater } from '../../shared/store/run-again-later.ts';
import { reset } from '../../shared/store/reset.ts';
import { runAgain } from '../../shared/store/run-again.ts';
import { idKey } from '../../shared/store/rows.ts';
import { faultyRig, take } from '../support/faulty-rig.ts';
import { aimAt } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

const row = async (rig: Rig, id: string): Promise<LeasedJob> => decodeLeasedJob((await rig.tables.get('jobs', idKey(id))) ?? {});

describe('a zombie', () => {
  const error = { name: 'E', message: 'm', at: 0 };
  const verbs: [string, (rig: Rig, job: LeasedJob) => Promise<{ result: string }>][] = [
    ['complete', async (rig, job) => complete(rig.tables, job, { now: () => rig.clock.now() })],
    ['complete with a key', async (rig, job) => complete(rig.tables, { ...job, key: 'k' }, { now: () => rig.clock.now() })],
    [
      'give its job back',
      async (rig, job) => runAgain(rig.tables, job, { dueAt: 0 }, { token: 't', now: rig.clock.now(), redispatchAfterMs: 1 }),
    ],
    ['move its job to Timers', async (rig, job) => runAgainLater(rig.tables, job, { dueAt: rig.clock.now() + 99 * MINUTE })],
    ['bury its job', async (rig, job) => bury(rig.tables, job, { reason: 'failed', error })],
  ];
  it.each(verbs)('cannot %s once another executor has it', async (_name, verb) => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const zombie = await take(rig, id);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    const owner = await take(rig, id);
    const before = await row(rig, id);
    expect(await verb(rig, zombie)).toEqual({ result: 'lost' });
    expect(await row(rig, id)).toEqual(before);
    expect(await complete(rig.tables, owner, { now: () => rig.clock.now() })).toMatchObject({ result: 'finished' });
  });

  it.each(verbs)('cannot %s once the job is finished', async (_name, verb) => {
    const rig = new Rig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    const zombie = await take(rig, id);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    await rig.drain();
    expect(await verb(rig, zombie)).toEqual({ result: 'lost' });
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0, deadLetters: 0 });
  });
});

describe('a message', () => {
  it('that is delivered twice at once runs its job once', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {});
    rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n: 1 }));
    const [first, second] = rig.hints.receive(DEFAULT, 10);
    await Promise.all([rig.execute(first ? [first] : []), rig.execute(second ? [second] : [])]);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('that finds a live owner comes back when that lease ends, and claims nothing', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const owner = await take(rig, id);
    await rig.deliver();
    expect(rig.hints.nextVisibleAt()).toBe(owner.lockExpiresAt);
    expect((await row(rig, id)).rev).toBe(owner.rev);
  });

  it('that is older than the one that runs the job is acknowledged', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: {}, add: { dispatches: 4 } });
    await take(rig, id);
    await rig.deliver();
    expect(rig.hints.nextVisibleAt()).toBeUndefined();
  });

  it('that is a duplicate of a job that snoozes again and again dies out (duplicate-of-a-snoozer)', async () => {
    const rig = new Rig({ handlers: [work.handle(() => snooze('PT10M'))] });
    const { id } = await rig.client.enqueue(work, {});
    for (let copy = 0; copy < 5; copy++) rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n: 1 }));
    await rig.drain();
    for (let round = 0; round < 4; round++) {
      await rig.clock.advance(10 * MINUTE);
      await rig.drain();
    }
    expect(await rig.hints.visible(DEFAULT)).toBe(0);
    await rig.clock.advance(10 * MINUTE);
    expect(await rig.hints.visible(DEFAULT)).toBe(1);
  });
});

describe('two actors', () => {
  it('two acquirers fire a timer once and send one hint', async () => {
    const rig = new Rig();
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 100 }, () => ({})),
      { delay: 'PT1H' },
    );
    await rig.clock.advance(60 * MINUTE);
    const reports = await Promise.all([rig.fire(), rig.fire(), rig.fire()]);
    expect(reports.reduce((sum, { fired }) => sum + fired, 0)).toBe(100);
    expect(await rig.hints.visible(DEFAULT)).toBe(100);
  });

  it('two sweepers reset a lease once, and the loser sends nothing', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    for (const message of rig.hints.receive(DEFAULT, 10)) rig.hints.acknowledge(message);
    await rig.clock.advance(10 * MINUTE);
    const reports = await Promise.all([rig.sweep(), rig.sweep()]);
    expect(reports.reduce((sum, { counts }) => sum + (counts.reset ?? 0), 0)).toBe(1);
    expect(await rig.hints.visible(DEFAULT)).toBe(1);
    expect((await row(rig, id)).dispatches).toBe(2);
  });

  it('a sweeper that looked before a new claim resets nothing', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {});
    const seen = await take(rig, id);
    await rig.clock.advance(2 * MINUTE);
    await rig.sweep();
    await take(rig, id);
    expect(await reset(rig.tables, seen, { token: 't', now: rig.clock.now(), redispatchAfterMs: 1, crashes: 9 })).toEqual({
      result: 'lost',
    });
  });

  it('a cancel that looks while the timer fires still finds the job (looked-between)', async () => {
    const rig = new Rig();
    const { id } = await rig.client.enqueue(work, {}, { delay: 'PT1H' });
    await rig.clock.advance(56 * MINUTE);
    const get = rig.tables.get.bind(rig.tables);
    let fired = false;
    rig.tables.get = async (table, key) => {
      const found = await get(table, key);
      if (table === 'jobs' && !fired) {
        fired = true;
        await rig.fire();
      }
      return found;
    };
    expect(await rig.client.cancel(id)).toBe('cancelled');
    expect(await rig.counts()).toMatchObject({ jobs: 0, timers: 0 });
  });

  it('a cancel that loses to the completion is told that the job is finished', async () => {
    const rig = faultyRig({ handlers: [work.handle(() => undefined)] });
    const { id } = await rig.client.enqueue(work, {});
    rig.faults.before(aimAt('delete', 'jobs'), async () => rig.drain());
    expect(await rig.client.cancel(id)).toBe('finished');
    expect(await rig.client.get(id)).toMatchObject({ outcome: 'completed' });
  });
});

describe('a process that dies', () => {
  it('does not take innocent neighbours along: only the job that kills it alone becomes a dead letter (innocent-neighbours)', async () => {
    const done = new Set<string>();
    const rig = new Rig({
      settings: { crashLimit: 3 },
      handlers: [
        work.handle(({ payload, job }) => {
          if (payload['poison'] === true) throw new Error('died');
          done.add(job.id);
        }),
      ],
    });
    const { ids } = await rig.client.enqueueMany(
      work,
      Array.from({ length: 10 }, (_, n) => ({ poison: n === 4 })),
    );
    const poison = ids[4] ?? '';
    const lease = rig.deployment.settings.executorTimeoutMs + rig.deployment.settings.leaseMarginMs;
    for (let round = 0; round < 40 && (await rig.rows('jobs')).length > 0; round++) {
      const messages = rig.hints.receive(DEFAULT, 10);
      const claimable = await Promise.all(
        messages.map(async (message) => ({ message, hint: JSON.parse(message.body) as { id: string; alone?: number } })),
      );
      const suspects = claimable.filter(({ message, hint }) => message.receiveCount > 1 || hint.alone === 1);
      const together = claimable.filter((one) => !suspects.includes(one));
      if (together.some(({ hint }) => hint.id === poison)) {
        for (const { hint } of together) await take(rig, hint.id, lease);
      } else {
        await rig.execute(together.map(({ message }) => message));
        for (const { message, hint } of suspects) {
          if (hint.id === poison && (await rig.tables.get('jobs', idKey(poison)))?.['lockOwner']?.toString().startsWith('queue/'))
            await take(rig, poison, lease);
          else await rig.execute([message]);
        }
      }
      await rig.clock.advance(lease + MINUTE);
      await rig.sweep();
    }
    expect(done.size).toBe(9);
    expect(await rig.client.get(poison)).toMatchObject({ state: 'dead', reason: 'crash-loop' });
    expect((await rig.rows('deadLetters')).length).toBe(1);
  });

  it('between the put and the send loses nothing', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    rig.hints.send = () => new Promise(() => {});
    void rig.client.enqueue(work, {});
    await rig.settle();
    Reflect.deleteProperty(rig.hints, 'send');
    await rig.clock.advance(7 * MINUTE);
    await rig.sweep();
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a second burial under one id (bury-overwrites)', () => {
  it('overwrites nothing', async () => {
    const rig = new Rig({
      handlers: [
        work.handle(() => {
          throw new Error('no');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(work, { first: true }, { retry: 'never' });
    const twin = await rig.tables.get('jobs', idKey(id));
    await rig.drain();
    await rig.tables.write({ op: 'put', table: 'jobs', row: { ...twin, payload: '{"second":true}' } });
    await rig.clock.advance(2 * 60 * MINUTE);
    await rig.sweep();
    await rig.drain();
    const payloads = (await rig.rows('deadLetters')).map(({ payload }) => payload);
    expect(new Set(payloads)).toEqual(new Set(['{"first":true}', '{"second":true}']));
  });
});
