import { describe, expect, it } from 'vitest';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail, snooze } from '../../shared/job/verdict.ts';
import { NonRetryableError } from '../../shared/job/errors.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;

describe('a plain job', () => {
  it('is enqueued, claimed, run once and finished, and History keeps it', async () => {
    const seen: unknown[] = [];
    const render = defineJob('invoice.render', { payload: anyPayload });
    const rig = new Rig({ handlers: [render.handle(({ payload, job }) => void seen.push([payload, job.attempt]))] });
    const { id } = await rig.client.enqueue(render, { invoiceId: 'i1' });
    expect((await rig.client.get(id))?.state).toBe('ready');
    await rig.drain();
    expect(seen).toEqual([[{ invoiceId: 'i1' }, 1]]);
    expect(await rig.counts()).toEqual({ jobs: 0, timers: 0, deadLetters: 0, suspended: 0, control: 0, history: 1 });
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed', attempts: 1 });
  });

  it('that fails is retried by its policy and ends as a dead letter with its error and its counters', async () => {
    let runs = 0;
    const flaky = defineJob('flaky', { payload: anyPayload, retry: 'R3/PT1M' });
    const rig = new Rig({
      handlers: [
        flaky.handle(() => {
          runs++;
          throw new RangeError('no luck');
        }),
      ],
    });
    const { id } = await rig.client.enqueue(flaky, {});
    await rig.drain();
    expect(runs).toBe(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready', failures: 1 });
    for (let minute = 0; minute < 3; minute++) {
      await rig.clock.advance(MINUTE);
      await rig.drain();
    }
    expect(runs).toBe(3);
    expect(await rig.client.get(id)).toMatchObject({
      state: 'dead',
      reason: 'retries-exhausted',
      failures: 3,
      error: { name: 'RangeError' },
    });
  });

  it('that is due in an hour waits in Timers, fires ahead of time and runs at its time, never before', async () => {
    const started: number[] = [];
    const remind = defineJob('remind', { payload: anyPayload });
    const rig: Rig = new Rig({ handlers: [remind.handle(() => void started.push(rig.clock.now()))] });
    const dueAt = rig.clock.now() + 60 * MINUTE;
    const { id } = await rig.client.enqueue(remind, {}, { runAt: dueAt });
    expect((await rig.client.get(id))?.state).toBe('waiting');
    // Each tick walks through all shards: minute by minute only where it may fire.
    for (const minutes of [10, 10, 10, 10, ...Array<number>(21).fill(1)]) {
      await rig.fire();
      await rig.drain();
      await rig.clock.advance(minutes * MINUTE);
    }
    await rig.drain();
    expect(started).toHaveLength(1);
    expect((started[0] as number) - dueAt).toBeGreaterThanOrEqual(0);
    expect((started[0] as number) - dueAt).toBeLessThan(MINUTE + 1);
  });

  it('can be snoozed for an hour, which counts against nothing', async () => {
    let runs = 0;
    const wait = defineJob('wait', { payload: anyPayload, retry: 'never' });
    const rig = new Rig({ handlers: [wait.handle(() => (++runs === 1 ? snooze('PT1H') : undefined))] });
    const { id } = await rig.client.enqueue(wait, {});
    await rig.drain();
    expect((await rig.client.get(id))?.state).toBe('waiting');
    await rig.clock.advance(60 * MINUTE);
    await rig.fire();
    await rig.drain();
    expect(runs).toBe(2);
    expect((await rig.client.get(id))?.state).toBe('finished');
  });

  it('that says fail, or throws NonRetryableError, is a dead letter at once', async () => {
    const expected = defineJob('expected', { payload: anyPayload });
    const wrapped = defineJob('wrapped', { payload: anyPayload });
    const rig = new Rig({
      handlers: [
        expected.handle(() => fail('no such invoice')),
        wrapped.handle(() => {
          throw new Error('outer', { cause: new NonRetryableError('inner') });
        }),
      ],
    });
    const [a, b] = [await rig.client.enqueue(expected, {}), await rig.client.enqueue(wrapped, {})];
    await rig.drain();
    expect(await rig.client.get(a.id)).toMatchObject({ state: 'dead', reason: 'failed', error: { message: 'no such invoice' } });
    expect(await rig.client.get(b.id)).toMatchObject({ state: 'dead', reason: 'non-retryable' });
  });
});

describe('history', () => {
  const noted = defineJob('noted', { payload: anyPayload });
  const finished = async (history: 'off' | 'outcome' | 'durable'): Promise<Rig> => {
    const rig = new Rig({ history, handlers: [noted.handle(() => undefined)] });
    await rig.client.enqueue(noted, { secret: 's' }, { correlationId: 'c' });
    await rig.drain();
    return rig;
  };

  it('keeps a finished job without its payload, for its days', async () => {
    const rig = await finished('outcome');
    const [row] = await rig.rows('history');
    expect(row).toMatchObject({ type: 'noted', outcome: 'completed', starts: 1, correlationId: 'c' });
    expect(row?.['payload']).toBeUndefined();
    expect(row?.['expiresAt']).toBe(Math.floor(rig.clock.now() / 1000) + 3 * 86_400);
  });

  it('can be off, and can be durable: in the transaction that completes the job', async () => {
    expect((await (await finished('off')).rows('history')).length).toBe(0);
    const rig = new Rig({ history: 'durable', handlers: [noted.handle(() => undefined)] });
    rig.tables.putAll = async () => {
      throw new Error('nothing is written in batches');
    };
    await rig.client.enqueue(noted, {});
    await rig.drain();
    // The job, and its last attempt.
    expect((await rig.rows('history')).length).toBe(2);
  });

  it('that cannot be written is counted as lost, and the job is finished all the same', async () => {
    const rig = new Rig({ handlers: [noted.handle(() => undefined)] });
    rig.tables.putAll = async (_table, rows) => rows;
    await rig.client.enqueue(noted, {});
    await rig.drain();
    expect(rig.journal.count('history-lost')).toBe(1);
    expect((await rig.counts()).jobs).toBe(0);
  });
});
