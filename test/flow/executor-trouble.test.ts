import { describe, expect, it, vi } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { snooze } from '../../shared/job/verdict.ts';
import { SandboxEndedError } from '../../functions/executor/execute-messages.ts';
import { idKey } from '../../shared/store/rows.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const FIFO = { worker: 'default', lane: '', kind: 'fifo' } as const;
const work = defineJob('work', { payload: anyPayload });

/** Delivers each message at the time at which it becomes visible, for at most `ms`. */
async function runFor(rig: Rig, ms: number): Promise<void> {
  const until = rig.clock.now() + ms;
  for (;;) {
    await rig.drain();
    const next = rig.hints.nextVisibleAt();
    if (next === undefined || next > until) return;
    await rig.clock.advance(Math.max(0, next - rig.clock.now()));
  }
}

describe('an attempt is recorded', () => {
  it('although isConflict throws: its failures count and end in the dead letters', async () => {
    const run = vi.fn((): never => {
      throw new Error('plain');
    });
    const isConflict = (error: unknown): boolean => (error as { code: string }).code.startsWith('OPT');
    const rig = new Rig({ isConflict, handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {}, { retry: 'R1/PT1S' });
    await runFor(rig, HOUR);
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'retries-exhausted', error: { message: 'plain' } });
    expect(rig.journal.count('store-failed')).toBe(0);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['that succeeded', (): undefined => undefined, 'finished', 1],
    [
      'that failed, by the policy of its type',
      (): undefined => {
        throw new Error('no');
      },
      'dead',
      2,
    ],
  ] as const)('%s although its stored retry policy cannot be read', async (_name, handler, state, runs) => {
    const run = vi.fn(handler);
    const rig = new Rig({ handlers: [defineJob('work', { payload: anyPayload, retry: 'R2/PT1S' }).handle(run)] });
    const { id } = await rig.client.enqueue(work, {});
    await rig.tables.write({ op: 'update', table: 'jobs', key: idKey(id), set: { retry: '3 times' } });
    await runFor(rig, HOUR);
    expect((await rig.client.get(id))?.state).toBe(state);
    expect(run).toHaveBeenCalledTimes(runs);
  });

  it('although a look for a cancel request hangs', async () => {
    const clock = new SettableClock();
    const rig = new Rig({ clock, handlers: [work.handle(() => clock.wait(6_000))] });
    const { id } = await rig.client.enqueue(work, {});
    const get = rig.tables.get.bind(rig.tables);
    const look = vi.fn(() => new Promise<never>(() => {}));
    rig.tables.get = look;
    const start = clock.now();
    await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)), 1_000);
    rig.tables.get = get;
    expect(look).toHaveBeenCalledTimes(1);
    expect(clock.now() - start).toBeLessThan(10_000);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  });
});

describe('a sandbox does not spin', () => {
  it('on a handler that meets a failed condition each time: it waits longer and longer, and no failure counts', async () => {
    const run = vi.fn(() => {
      throw Object.assign(new Error('x'), { name: 'ConditionalCheckFailedException' });
    });
    const rig = new Rig({ handlers: [work.handle(run)] });
    const { id } = await rig.client.enqueue(work, {});
    await runFor(rig, HOUR);
    expect(run.mock.calls.length).toBeGreaterThan(10);
    expect(run.mock.calls.length).toBeLessThan(100);
    expect(await rig.client.get(id)).toMatchObject({ failures: 0 });
  });

  it('on a handler that snoozes for no time at all: it runs once a second', async () => {
    const run = vi.fn(() => snooze(0));
    const rig = new Rig({ handlers: [work.handle(run)] });
    await rig.client.enqueue(work, {});
    await runFor(rig, 10_000);
    expect(run).toHaveBeenCalledTimes(11);
  });

  it('on a job that wants a whole invocation when claiming takes a while: it starts at once', async () => {
    const big = defineJob('big', { payload: anyPayload, timeout: 'PT1M' });
    const run = vi.fn();
    const rig = new Rig({ handlers: [big.handle(run)], settings: { executorTimeoutMs: 10_000 } });
    await rig.client.enqueue(big, {});
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (...args) => {
      const outcome = await write(...args);
      await rig.clock.advance(700);
      return outcome;
    };
    await rig.deliver();
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a job that is redelivered', () => {
  it('and wants most of an invocation is not starved by neighbours that keep coming', async () => {
    const clock = new SettableClock();
    const big = defineJob('big', { payload: anyPayload, timeout: 'PT5M' });
    const run = vi.fn();
    const rig = new Rig({ clock, handlers: [work.handle(() => clock.wait(40_000)), big.handle(run)] });
    await rig.client.enqueue(big, {});
    const [first] = rig.hints.receive(DEFAULT, 1);
    if (first) await rig.hints.postpone(first, 0);
    for (let batch = 0; batch < 10; batch++) {
      await rig.client.enqueue(work, {});
      await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)), 5_000);
    }
    expect(run).toHaveBeenCalledTimes(1);
  });
});

describe('a group whose job outlived its attempt', () => {
  it('starts no other job while the old handler may live', async () => {
    const run = vi.fn(() => new Promise<never>(() => {}));
    const rig = new Rig({ handlers: [work.handle(run)] });
    await rig.client.enqueue(work, {}, { group: 'g' });
    await rig.client.enqueue(work, {}, { group: 'g' });
    const leaseEnd = rig.invocation().deadlineAt + rig.deployment.settings.leaseMarginMs;
    await expect(rig.until(rig.execute(rig.hints.receive(FIFO, 10)), 10_000)).rejects.toThrow(SandboxEndedError);
    await rig.clock.advance(leaseEnd - 1_000 - rig.clock.now());
    await rig.drain();
    expect(run).toHaveBeenCalledTimes(1);
  });
});
