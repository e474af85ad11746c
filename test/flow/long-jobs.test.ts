import { describe, expect, it, vi } from 'vitest';
import { defineJob, type JobContext } from '../../shared/job/job-type.ts';
import { complete, continueWith } from '../../shared/job/verdict.ts';
import { faultyRig } from '../support/faulty-rig.ts';
import { aimAtChangeOf } from '../support/faulty-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const DEFAULT = { worker: 'default', lane: 'default', kind: 'standard' } as const;
const long = defineJob('long', { payload: anyPayload, retry: 'R3/PT30S' });

const stateOf = (context: JobContext): number => (context.state as { step?: number } | undefined)?.step ?? 0;

describe('continueWith', () => {
  it('runs the same attempt again at once with its state, and counts against nothing', async () => {
    const seen: unknown[] = [];
    const rig = new Rig({
      handlers: [
        long.handle((context) => {
          const step = stateOf(context);
          seen.push([step, context.job.attempt, context.job.continuations]);
          return step < 2 ? continueWith({ step: step + 1 }) : undefined;
        }),
      ],
    });
    const { id } = await rig.client.enqueue(long, {});
    await rig.drain();
    expect(seen).toEqual([
      [0, 1, 0],
      [1, 1, 1],
      [2, 1, 2],
    ]);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1, failures: 0 });
    expect(rig.journal.count('continued')).toBe(2);
  });

  it('keeps its state over a failure: the retry goes on from it', async () => {
    const steps: number[] = [];
    const rig = new Rig({
      handlers: [
        long.handle((context) => {
          steps.push(stateOf(context));
          if (steps.length === 1) return continueWith({ step: 7 });
          if (steps.length === 2) throw new Error('once');
          return undefined;
        }),
      ],
    });
    await rig.client.enqueue(long, {});
    await rig.drain();
    await rig.clock.advance(MINUTE);
    await rig.drain();
    expect(steps).toEqual([0, 7, 7]);
  });

  it.each(['lost-reply', 'lost-for-good', 'unavailable'] as const)(
    'loses no state and makes no second run of a step (%s)',
    async (fault) => {
      const steps: number[] = [];
      const rig = faultyRig({
        handlers: [
          long.handle((context) => {
            steps.push(stateOf(context));
            return stateOf(context) === 0 ? continueWith({ step: 1 }) : undefined;
          }),
        ],
      });
      await rig.client.enqueue(long, {});
      rig.faults.next(aimAtChangeOf('continuations'), fault);
      await rig.until(rig.execute(rig.hints.receive(DEFAULT, 10)));
      await rig.until(rig.drain());
      expect([steps, rig.faults.pending()]).toEqual([[0, 1], 0]);
    },
  );

  it('refuses a state that would leave no room', async () => {
    expect(() => continueWith('x'.repeat(70_000))).toThrow(/^state: 70002 bytes /);
    expect(() => continueWith({ n: Number.NaN })).toThrow(/^state\.n: NaN/);
  });
});

describe('yieldIfNeeded', () => {
  /** A handler that works in steps of 8 seconds. */
  const worker = (steps: number, seen: number[]) =>
    long.handle(async (context) => {
      for (let step = stateOf(context); step < steps; step++) {
        context.yieldIfNeeded({ step });
        seen.push(step);
        await rigClock().advance(8 * SECOND);
      }
    });
  let rigClock: () => Rig['clock'];

  it('ends a run that nears its limit, and the job goes on where it stopped', async () => {
    const seen: number[] = [];
    const rig = new Rig({ handlers: [worker(60, seen)] });
    rigClock = () => rig.clock;
    const { id } = await rig.client.enqueue(long, {});
    await rig.drain();
    expect(seen).toEqual(Array.from({ length: 60 }, (_, step) => step));
    expect(rig.journal.count('continued')).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', attempts: 1 });
  });

  it('is not disturbed by middleware around the attempt', async () => {
    const seen: number[] = [];
    const ended = vi.fn();
    const rig = new Rig({
      handlers: [worker(60, seen)],
      around: [async (_, next) => next().finally(ended)],
    });
    rigClock = () => rig.clock;
    await rig.client.enqueue(long, {});
    await rig.drain();
    expect([seen.length, ended.mock.calls.length, rig.journal.count('failed')]).toEqual([60, 2, 0]);
  });
});

describe('progress', () => {
  it('is written also after the clock went back', async () => {
    let aheadMs = MINUTE;
    let shown: unknown;
    const rig: Rig = new Rig({
      handlers: [
        long.handle(async ({ job, progress }) => {
          progress(10);
          await rig.settle();
          aheadMs = 0;
          progress(20);
          await rig.settle();
          shown = (await rig.client.get(job.id))?.progress;
        }),
      ],
    });
    const { clock } = rig;
    Object.assign(rig.deps, { clock: { now: () => clock.now() + aheadMs, wait: clock.wait.bind(clock) } });
    await rig.client.enqueue(long, {});
    await rig.deliver();
    expect(shown).toEqual({ percent: 20 });
  });

  it('is seen while the job runs, at most once a second, the last one before a retry', async () => {
    const writes: unknown[] = [];
    let shown: unknown;
    const rig: Rig = new Rig({
      handlers: [
        long.handle(async ({ job, progress }) => {
          if (job.attempt > 1) return;
          for (let percent = 0; percent < 50; percent++) progress(percent, `row ${percent}`);
          await rig.settle();
          shown = (await rig.client.get(job.id))?.progress;
          progress(50.5);
          throw new Error('stopped');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(long, {});
    const { tables } = rig;
    const write: typeof tables.write = async (one, window) => {
      if (one.op === 'update' && 'progress' in one.set) writes.push(one.set['progress']);
      return tables.write(one, window);
    };
    await rig.execute(rig.hints.receive(DEFAULT, 10), { ...rig.deps, tables: { ...tables, write } });
    expect(shown).toEqual({ percent: 0, text: 'row 0' });
    expect(writes).toEqual([0, 50]);
    expect((await rig.client.get(id))?.progress).toEqual({ percent: 50 });
  });

  it('of a job that completes costs no last write, and one that moves to Timers keeps it', async () => {
    const rig = new Rig({
      handlers: [
        long.handle(({ job, progress }) => {
          progress(30 * job.attempt);
          progress(30 * job.attempt + 5, 'later');
          if (job.attempt === 1) throw new Error('once');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(long, {}, { retry: 'R3/PT30M' });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'waiting', progress: { percent: 35, text: 'later' } });
    await rig.clock.advance(30 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', progress: { percent: 65, text: 'later' } });
  });

  it('that is no percentage fails the attempt and says why; the store not answering does not', async () => {
    const rig = faultyRig({
      handlers: [
        long.handle(({ payload, progress }) => {
          progress(payload['percent'] as number);
        }),
      ],
    });
    const { id } = await rig.client.enqueue(long, { percent: 101 });
    await rig.drain();
    expect((await rig.client.get(id))?.error?.message).toMatch(/^progress: 101/);
    const good = await rig.client.enqueue(long, { percent: 10 });
    rig.faults.next(aimAtChangeOf('progress'), 'unavailable');
    await rig.drain();
    expect((await rig.client.get(good.id))?.state).toBe('finished');
    expect(rig.faults.pending()).toBe(0);
  });
});

describe('waitForResult', () => {
  it('gives what the handler returned, while it is kept', async () => {
    const rig = new Rig({ handlers: [long.handle(() => complete({ result: { sum: 3 }, keepResult: 'PT1H' }))] });
    const { id } = await rig.client.enqueue(long, {});
    const waiting = rig.client.waitForResult<{ sum: number }>(id);
    await rig.drain();
    expect(await rig.until(waiting)).toEqual({ outcome: 'result', result: { sum: 3 } });
    await rig.clock.advance(61 * MINUTE);
    expect(await rig.until(rig.client.waitForResult(id))).toEqual({ outcome: 'no-result' });
  });

  it('tells a job without a result, a dead letter, a cancelled job, a timeout and an unknown id apart', async () => {
    const rig = new Rig({
      handlers: [
        long.handle(({ payload }) => {
          if (payload['fail'] === true) throw new Error('no');
        }),
      ],
    });
    const [quiet, dead] = [await rig.client.enqueue(long, {}), await rig.client.enqueue(long, { fail: true }, { retry: 'R1/PT1S' })];
    await rig.drain();
    const later = await rig.client.enqueue(long, {}, { delay: 'PT1H' });
    const wait = async (id: string): Promise<unknown> => rig.until(rig.client.waitForResult(id, { timeout: 'PT2S' }));
    expect(await wait(quiet.id)).toEqual({ outcome: 'no-result' });
    expect(await wait(dead.id)).toMatchObject({ outcome: 'dead', reason: 'retries-exhausted', error: { message: 'no' } });
    expect(await wait(later.id)).toEqual({ outcome: 'timeout', state: 'waiting' });
    await rig.client.cancel(later.id);
    expect(await wait(later.id)).toEqual({ outcome: 'cancelled' });
    expect(await wait(rig.client.newId())).toEqual({ outcome: 'not-found' });
  });

  it('of a client for one tenant shows no result of another', async () => {
    const rig = new Rig({ handlers: [long.handle(() => complete({ result: 1 }))] });
    const { id } = await rig.client.enqueue(long, {}, { tenant: 'a' });
    await rig.drain();
    expect(await rig.until(rig.client.forTenant('b').waitForResult(id))).toEqual({ outcome: 'not-found' });
    expect(await rig.until(rig.client.forTenant('a').waitForResult(id))).toEqual({ outcome: 'result', result: 1 });
  });
});
