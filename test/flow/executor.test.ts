import { describe, expect, it, vi } from 'vitest';
import { JobTimedOutError } from '../../shared/job/errors.ts';
import { groupHash } from '../../shared/job/hint.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { snooze } from '../../shared/job/verdict.ts';
import { executeMessages, SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { decodeLeasedJob } from '../../shared/store/job-codec.ts';
import { groupLockKey } from '../../shared/store/control-rows.ts';
import { idKey } from '../../shared/store/rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const work = defineJob('work', { payload: anyPayload });

describe('a batch', () => {
  it('runs its jobs side by side, and one by one when told to', async () => {
    for (const [batchConcurrency, expected] of [
      [0, 5],
      [1, 1],
    ] as const) {
      let [running, most] = [0, 0];
      const rig: Rig = new Rig({
        settings: { batchConcurrency },
        handlers: [
          work.handle(async () => {
            most = Math.max(most, ++running);
            await rig.settle();
            running--;
          }),
        ],
      });
      await rig.client.enqueueMany(work, [{}, {}, {}, {}, {}]);
      await rig.drain();
      expect(most).toBe(expected);
      expect((await rig.counts()).jobs).toBe(0);
    }
  });

  it.skipIf(ON_DYNAMO)('runs no more jobs side by side than a client has connections, however many it has', async () => {
    let [running, most] = [0, 0];
    const handler = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await rig.settle();
      running--;
    };
    const rig: Rig = new Rig({ handlers: [work.handle(handler)], settings: { batchSize: 1_000, batchWindowMs: 1_000 } });
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 300 }, () => ({})),
    );
    await rig.deliver(300);
    expect(most).toBe(250);
    expect((await rig.counts()).jobs).toBe(0);
  });

  it('records each outcome when its job ends, not when the batch ends', async () => {
    let release = (): void => {};
    const slow = new Promise<void>((resolve) => (release = resolve));
    const rig = new Rig({ handlers: [work.handle(async ({ payload }) => (payload['slow'] === true ? slow : undefined))] });
    const [quick] = [await rig.client.enqueue(work, {}), await rig.client.enqueue(work, { slow: true })];
    const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
    await rig.settle();
    expect(await rig.tables.get('jobs', idKey(quick.id))).toBeUndefined();
    release();
    expect(await batch).toEqual([]);
  });

  it('copies an unreadable message to the dead-letter queue and runs its neighbours', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    for (const body of ['not json', '{}', '{"v":2,"id":"x","n":1}', '[]', '{"v":1,"id":"__proto__","n":1}'])
      rig.hints.inject(DEFAULT, body);
    await rig.client.enqueue(work, {});
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    expect(rig.hints.deadLetters()).toHaveLength(5);
  });

  it('lets an unreadable message come back that could not be copied to the dead-letter queue', async () => {
    const rig = new Rig();
    rig.hints.inject(DEFAULT, 'unreadable');
    const messages = rig.hints.receive(DEFAULT, 10);
    const inbox = {
      discard: rig.hints.discard.bind(rig.hints),
      postpone: rig.hints.postpone.bind(rig.hints),
      reject: () => Promise.reject(new Error('no such queue')),
    };
    expect(await rig.execute(messages, { ...rig.deps, inbox })).toEqual(messages.map(({ messageId }) => messageId));
    expect(rig.hints.nextVisibleAt()).toBeDefined();
  });

  it('quarantines an unreadable row with its raw content and runs its neighbours', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [work.handle(run)] });
    const bad = await rig.client.enqueue(work, { a: 1 });
    await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(bad.id), set: { failures: 'many' } });
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
    const [dead] = await rig.rows('deadLetters');
    expect(dead).toMatchObject({ id: bad.id, reason: 'unreadable' });
    expect(dead?.['payload']).toBe('{"a":1}');
    expect(JSON.parse(String(dead?.['raw']))).toMatchObject({ failures: 'many', type: 'work' });
    expect(await rig.client.get(bad.id)).toMatchObject({ state: 'dead', reason: 'unreadable' });
  });

  it('acknowledges a hint whose job is gone', async () => {
    const rig = new Rig();
    rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id: rig.client.newId(), n: 1 }));
    await rig.drain();
    expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'lost-claim', reason: 'gone' }));
  });

  it('gives a job back that could not start in time, at the cost of no attempt', async () => {
    const timed = defineJob('timed', { payload: anyPayload, timeout: 'PT2M' });
    const run = vi.fn();
    const rig = new Rig({ handlers: [timed.handle(run)], settings: { executorTimeoutMs: 5 * MINUTE } });
    const { id } = await rig.client.enqueue(timed, {});
    const messages = rig.hints.receive(DEFAULT, 10);
    const budget = rig.deps.clock.now() + 5 * MINUTE;
    const late = { ...rig.deps, clock: { ...rig.deps.clock, now: () => rig.clock.now(), wait: rig.clock.wait.bind(rig.clock) } };
    let looks = 0;
    late.clock.now = () => (++looks > 1 ? budget - MINUTE : rig.clock.now());
    const back = await executeMessages(late, messages, { requestId: 'r', deadlineAt: budget });
    expect(back).toEqual(messages.map(({ messageId }) => messageId));
    expect(run).not.toHaveBeenCalled();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 0 });
  });
});

describe('a time limit', () => {
  it('aborts the signal, and a handler that settles counts as timed out', async () => {
    let reason: unknown;
    const timed = defineJob('timed', { payload: anyPayload, timeout: 'PT10S', retry: 'R2/PT1M' });
    const rig = new Rig({
      handlers: [
        timed.handle(
          ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => {
                reason = signal.reason;
                reject(signal.reason as Error);
              });
            }),
        ),
      ],
    });
    const { id } = await rig.client.enqueue(timed, {});
    const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
    await rig.settle();
    await rig.clock.advance(10_000);
    await rig.settle();
    expect(await batch).toEqual([]);
    expect(reason).toBeInstanceOf(JobTimedOutError);
    expect(await rig.client.get(id)).toMatchObject({ failures: 1, error: { name: 'JobTimedOutError' } });
    expect(rig.sandboxEnds).toBe(0);
  });

  it('lets a handler that returns within the grace period have finished', async () => {
    const timed = defineJob('timed', { payload: anyPayload, timeout: 'PT10S' });
    const rig = new Rig({
      handlers: [timed.handle(({ signal }) => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())))],
    });
    const { id } = await rig.client.enqueue(timed, {});
    const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
    await rig.settle();
    await rig.clock.advance(10_000);
    await rig.settle();
    expect(await batch).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', failures: 0 });
    expect(rig.sandboxEnds).toBe(0);
  });

  it('that a handler ignores is recorded, its retry waits for the lease to end, its neighbours finish, and the sandbox ends', async () => {
    const timed = defineJob('timed', { payload: anyPayload, timeout: 'PT10S', retry: 'R5/PT1S' });
    const rig = new Rig({ handlers: [timed.handle(() => new Promise(() => {})), work.handle(() => undefined)] });
    const stuck = await rig.client.enqueue(timed, {});
    const neighbour = await rig.client.enqueue(work, {});
    const leaseEnd = rig.clock.now() + rig.deployment.settings.executorTimeoutMs + rig.deployment.settings.leaseMarginMs;
    const batch = rig.execute(rig.hints.receive(DEFAULT, 10));
    const ended = batch.catch((error: unknown) => error);
    await rig.settle();
    await rig.clock.advance(10_000);
    await rig.settle();
    await rig.clock.advance(1_000);
    await rig.settle();
    expect(await ended).toBeInstanceOf(SandboxEndedError);
    expect(rig.sandboxEnds).toBe(1);
    expect(await rig.client.get(neighbour.id)).toMatchObject({ state: 'finished' });
    const row = decodeLeasedJob((await rig.tables.get('jobs', idKey(stuck.id))) ?? {});
    expect(row).toMatchObject({ failures: 1, error: { name: 'JobTimedOutError' } });
    expect(row.dueAt).toBeGreaterThanOrEqual(leaseEnd);
  });

  it('of a grouped job leaves the group locked until the lease ends', async () => {
    const timed = defineJob('timed', { payload: anyPayload, timeout: 'PT10S', group: 'g' });
    const rig = new Rig({ handlers: [timed.handle(() => new Promise(() => {}))] });
    await rig.client.enqueue(timed, {});
    const batch = rig.execute(rig.hints.receive({ worker: 'default', lane: '', kind: 'fifo' }, 10)).catch(() => 'ended');
    await rig.settle();
    await rig.clock.advance(10_000);
    await rig.settle();
    await rig.clock.advance(1_000);
    await rig.settle();
    expect(await batch).toBe('ended');
    expect(await rig.tables.get('control', groupLockKey(groupHash('g')))).toBeDefined();
  });
});

describe('an exclusive group', () => {
  const grouped = defineJob('grouped', { payload: anyPayload, group: (payload: Record<string, unknown>) => String(payload['g']) });

  it('never runs two jobs at once, in a batch or across batches, and gives its lock back', async () => {
    let [running, most] = [0, 0];
    const rig: Rig = new Rig({
      handlers: [
        grouped.handle(async () => {
          most = Math.max(most, ++running);
          await rig.settle();
          running--;
        }),
      ],
    });
    await rig.client.enqueueMany(grouped, [{ g: 'a' }, { g: 'a' }, { g: 'a' }]);
    const queue = { worker: 'default', lane: '', kind: 'fifo' } as const;
    await Promise.all([rig.execute(rig.hints.receive(queue, 2)), rig.execute(rig.hints.receive(queue, 2))]);
    await rig.drain();
    expect(most).toBe(1);
    expect(await rig.counts()).toMatchObject({ jobs: 0, control: 0 });
  });

  it('held by another process sends its message back until that lock ends, and claims nothing', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [grouped.handle(run)] });
    const { id } = await rig.client.enqueue(grouped, { g: 'a' });
    const until = rig.clock.now() + MINUTE;
    const lock = { ...groupLockKey(groupHash('a')), lockOwner: 'run/other', lockExpiresAt: new Date(until).toISOString() };
    await rig.tables.write({ op: 'put', table: 'control', row: lock });
    await rig.drain();
    expect(run).not.toHaveBeenCalled();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', attempts: 0 });
    expect(rig.hints.nextVisibleAt()).toBe(until);
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('retries with a delay through the standard queue, from which the hint is forwarded', async () => {
    let runs = 0;
    const rig = new Rig({ handlers: [grouped.handle(() => (++runs === 1 ? snooze('PT5M') : undefined))] });
    const { id } = await rig.client.enqueue(grouped, { g: 'Müller & Söhne' });
    await rig.drain();
    await rig.clock.advance(5 * MINUTE);
    await rig.drain();
    expect(runs).toBe(2);
    expect((await rig.client.get(id))?.state).toBe('finished');
  });

  it('that a hint does not name is not run without its lock', async () => {
    const run = vi.fn();
    const rig = new Rig({ handlers: [grouped.handle(run)] });
    const { id } = await rig.client.enqueue(grouped, { g: 'a' });
    rig.hints.receive({ worker: 'default', lane: '', kind: 'fifo' }, 10);
    rig.hints.inject(DEFAULT, JSON.stringify({ v: 1, id, n: 1 }));
    await rig.deliver();
    expect(run).not.toHaveBeenCalled();
    await rig.clock.advance(6 * rig.deployment.settings.executorTimeoutMs);
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
  });
});
