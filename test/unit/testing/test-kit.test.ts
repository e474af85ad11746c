import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ChainLimitError, complete, createJobClient, defineJob, fail, NonRetryableError, snooze } from '../../../shared/index.ts';
import { createTestKit } from '../../../testing/index.ts';

const send = defineJob('mail.send', { payload: z.object({ to: z.string() }), retry: 'R3/PT10M' });
const report = defineJob('report.make', { payload: z.object({ day: z.string() }), worker: 'reports', group: (p) => p.day });

describe('drain', () => {
  test('runs what is due, follow-ups included, and says how each run ended', async () => {
    const sent: string[] = [];
    const kit = createTestKit([
      send.handle(async ({ payload }) => {
        sent.push(payload.to);
        if (payload.to === 'a') await kit.client.enqueue(send, { to: 'follow-up of a' });
      }),
    ]);
    await kit.client.enqueue(send, { to: 'a' });
    await kit.client.enqueue(send, { to: 'b' });
    await kit.client.enqueue(send, { to: 'later' }, { delay: 'PT1S' });
    const summary = await kit.drain();
    expect(sent).toEqual(['a', 'b', 'follow-up of a']);
    expect(summary).toMatchObject({ completed: 3, retried: 0, dead: 0 });
    expect(summary.runs.map(({ type, outcome, attempt }) => ({ type, outcome, attempt }))).toEqual(
      sent.map(() => ({ type: 'mail.send', outcome: 'completed', attempt: 1 })),
    );
    expect(kit.enqueued(send).map(({ payload }) => payload.to)).toEqual(['later']);
  });

  test('records every kind of end, with the very value that was thrown', async () => {
    const boom = new Error('boom');
    const kit = createTestKit([
      send.handle(({ payload: { to } }) => {
        if (to === 'throws') throw boom;
        if (to === 'snoozes') return snooze('PT5M');
        if (to === 'fails') return fail('no such address');
        if (to === 'never') throw new NonRetryableError('never');
        return complete();
      }),
    ]);
    for (const to of ['throws', 'snoozes', 'fails', 'never', 'works']) await kit.client.enqueue(send, { to });
    const summary = await kit.drain();
    expect(summary).toMatchObject({ completed: 1, retried: 1, snoozed: 1, dead: 2 });
    expect(summary.runs.find(({ outcome }) => outcome === 'retried')?.error).toBe(boom);
    expect(kit.deadLetters(send).map(({ payload, reason, error }) => [payload.to, reason, error?.message])).toEqual([
      ['fails', 'failed', 'no such address'],
      ['never', 'non-retryable', 'never'],
    ]);
  });

  test('leaves jobs without a handler alone, so that a producer can be tested', async () => {
    const kit = createTestKit([send]);
    await kit.client.enqueue(send, { to: 'a' }, { key: 'k', tenant: 't', priority: 7, correlationId: 'c' });
    expect((await kit.drain()).runs).toEqual([]);
    await kit.advance('P1D');
    expect(kit.enqueued(send)).toMatchObject([{ payload: { to: 'a' }, key: 'k', tenant: 't', priority: 7, correlationId: 'c' }]);
    expect(kit.enqueued(report)).toEqual([]);
  });

  test('ends a chain without end, saying so', async () => {
    const kit = createTestKit([send.handle(({ payload }) => kit.client.enqueue(send, payload).then(() => undefined))], { maxRuns: 50 });
    await kit.client.enqueue(send, { to: 'a' });
    await expect(kit.drain()).rejects.toThrow(/maxRuns: more than 50/);
  });

  test('lets the chain limit of the deployment end it first, if that is lower', async () => {
    const kit = createTestKit([send.handle(({ payload }) => kit.client.enqueue(send, payload).then(() => undefined))], {
      settings: { chainLimit: 5 },
      errors: 'throw',
    });
    await kit.client.enqueue(send, { to: 'a' });
    await expect(kit.drain()).rejects.toThrow(ChainLimitError);
  });
});

describe('errors: throw', () => {
  test('throws what a handler threw once everything due has run, and records it all the same', async () => {
    const boom = new Error('boom');
    const ran: string[] = [];
    const kit = createTestKit(
      [
        send.handle(({ payload }) => {
          ran.push(payload.to);
          if (payload.to === 'bad') throw boom;
        }),
      ],
      { errors: 'throw' },
    );
    await kit.client.enqueueMany(send, [{ to: 'bad' }, { to: 'good' }]);
    await expect(kit.drain()).rejects.toBe(boom);
    expect(ran).toEqual(['bad', 'good']);
    expect(kit.enqueued(send)).toMatchObject([{ payload: { to: 'bad' }, failures: 1 }]);
    await expect(kit.drain()).resolves.toMatchObject({ runs: [] });
  });

  test('gathers several in an AggregateError, and counts a verdict as none', async () => {
    const kit = createTestKit(
      [
        send.handle(({ payload }) => {
          if (payload.to === 'fails') return fail('expected');
          throw new Error(payload.to);
        }),
      ],
      { errors: 'throw' },
    );
    await kit.client.enqueueMany(send, [{ to: 'one' }, { to: 'fails' }, { to: 'two' }]);
    const thrown: unknown = await kit.drain().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(AggregateError);
    expect((thrown as AggregateError).errors.map(String)).toEqual(['Error: one', 'Error: two']);
  });
});

describe('advance', () => {
  test('runs timers, retries and snoozes in the order in which they are due, each at its own time', async () => {
    const ran: string[] = [];
    const kit = createTestKit([
      send.handle(({ payload: { to }, job }) => {
        ran.push(`${new Date(kit.clock.now()).toISOString().slice(11, 19)} ${to} ${job.attempt}`);
        if (to === 'retry' && job.attempt < 3) throw new Error('again');
        if (to === 'snooze' && job.snoozes === 0) return snooze('PT25M');
        return undefined;
      }),
    ]);
    await kit.client.enqueue(send, { to: 'retry' });
    await kit.client.enqueue(send, { to: 'snooze' });
    await kit.client.enqueue(send, { to: 'timer' }, { delay: 'PT15M30S' });
    await kit.client.enqueue(send, { to: 'far' }, { delay: 'P3D' });
    const summary = await kit.advance('PT1H');
    expect(ran).toEqual([
      '00:00:00 retry 1',
      '00:00:00 snooze 1',
      '00:10:00 retry 2',
      '00:15:30 timer 1',
      '00:20:00 retry 3',
      '00:25:00 snooze 2',
    ]);
    expect(summary).toMatchObject({ completed: 3, retried: 2, snoozed: 1 });
    expect(new Date(kit.clock.now()).toISOString()).toBe('2026-01-01T01:00:00.000Z');
    expect(kit.enqueued(send).map(({ payload }) => payload.to)).toEqual(['far']);
  });

  test('ends a handler that waits on the clock for longer than its time limit', async () => {
    const slow = defineJob('slow', { payload: z.object({}), timeout: 'PT30S', retry: 'R1/PT1M' });
    const kit = createTestKit([
      slow.handle(async ({ signal }) => {
        await kit.clock.wait(3_600_000, signal);
        signal.throwIfAborted();
      }),
    ]);
    const { id } = await kit.client.enqueue(slow, {});
    const drained = kit.drain();
    await kit.advance('PT31S');
    expect(await drained).toMatchObject({ dead: 1 });
    expect(kit.deadLetters(slow)).toMatchObject([{ id, error: { name: 'JobTimedOutError' } }]);
  });
});

describe('runJob', () => {
  test('runs one job that is due in a week, and nothing else', async () => {
    const ran: string[] = [];
    const kit = createTestKit([send.handle(({ payload }) => void ran.push(payload.to))]);
    await kit.client.enqueue(send, { to: 'other' });
    const { id } = await kit.client.enqueue(send, { to: 'weekly' }, { delay: 'P7D' });
    expect(await kit.runJob(id)).toEqual({ id, type: 'mail.send', outcome: 'completed', attempt: 1 });
    expect(ran).toEqual(['weekly']);
    expect(await kit.job(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
    await kit.advance('P8D');
    expect(ran).toEqual(['weekly', 'other']);
  });

  test('runs a timer whose time has passed by the clock alone', async () => {
    const kit = createTestKit([send.handle(() => undefined)]);
    const { id } = await kit.client.enqueue(send, { to: 'weekly' }, { delay: 'P7D' });
    await kit.clock.advance(8 * 86_400_000);
    expect(await kit.runJob(id)).toMatchObject({ outcome: 'completed' });
  });

  test('throws what the handler threw, after the retry was recorded', async () => {
    const boom = new Error('boom');
    const kit = createTestKit([
      send.handle(() => {
        throw boom;
      }),
    ]);
    const { id } = await kit.client.enqueue(send, { to: 'a' });
    await expect(kit.runJob(id)).rejects.toBe(boom);
    expect(await kit.job(id)).toMatchObject({ state: 'ready', failures: 1 });
    expect(await kit.runJob(id, { errors: 'record' })).toMatchObject({ outcome: 'retried', error: boom, attempt: 2 });
  });

  test('runs grouped jobs of another worker', async () => {
    const kit = createTestKit([report.handle(() => undefined)]);
    const { id } = await kit.client.enqueue(report, { day: 'monday' }, { delay: 'PT5M' });
    expect(await kit.runJob(id)).toMatchObject({ outcome: 'completed' });
    const { id: second } = await kit.client.enqueue(report, { day: 'monday' }, { delay: 'PT5M' });
    await kit.advance('PT5M');
    expect(await kit.job(second)).toMatchObject({ state: 'finished' });
  });

  test('refuses a job that cannot be run, saying why', async () => {
    const kit = createTestKit([send.handle(() => fail('no')), report]);
    const { id } = await kit.client.enqueue(send, { to: 'a' });
    await kit.drain();
    await expect(kit.runJob(id)).rejects.toThrow(/The job is dead/);
    await expect(kit.runJob(kit.client.newId())).rejects.toThrow(/No job of the kit/);
    const other = await kit.client.enqueue(report, { day: 'monday' });
    await expect(kit.runJob(other.id)).rejects.toThrow(/handler for "report.make"/);
  });
});

describe('the rest of the kit', () => {
  test('redrives through the admin', async () => {
    let works = false;
    const kit = createTestKit([send.handle(() => (works ? undefined : fail('no')))]);
    const { id } = await kit.client.enqueue(send, { to: 'a' });
    await kit.drain();
    works = true;
    expect(await kit.admin.redrive(id)).toBe('redriven');
    expect(await kit.drain()).toMatchObject({ completed: 1 });
  });

  test('stands in for createJobClient while it is installed, middleware included', async () => {
    const jobs = createJobClient({ environment: {}, beforeCreate: [(draft) => ({ ...draft, tenant: 'acme' })] });
    const kit = createTestKit([send]);
    const uninstall = kit.install();
    await jobs.enqueue(send, { to: 'a' });
    expect(kit.enqueued(send)).toMatchObject([{ tenant: 'acme' }]);
    uninstall();
    await expect(jobs.enqueue(send, { to: 'b' })).rejects.toThrow(/NIGHTCREW_TABLES/);
  });

  test('stores a prepared job when it is dispatched, which its caller does after the commit', async () => {
    const kit = createTestKit([send.handle(() => undefined)]);
    const prepared = kit.client.prepare(send, { to: 'a' }, { key: 'once' });
    expect(prepared.items.map((item) => item.Put?.TableName)).toEqual(['jobs', 'control']);
    expect(kit.enqueued()).toEqual([]);
    await prepared.dispatch();
    expect(kit.enqueued(send)).toHaveLength(1);
    expect(await kit.drain()).toMatchObject({ completed: 1 });
  });

  test('shows the items of completions, of those that were recorded', async () => {
    const item = { Put: { TableName: 'orders', Item: { id: { S: 'A1' } } } };
    const kit = createTestKit([send.handle(({ payload }) => (payload.to === 'a' ? complete({ transact: [item] }) : fail('no')))]);
    await kit.client.enqueueMany(send, [{ to: 'a' }, { to: 'b' }]);
    await kit.drain();
    expect(kit.transacted()).toEqual([item]);
  });

  test('retries a completion whose own items a fake refuses, without counting', async () => {
    let held = false;
    const kit = createTestKit([send.handle(() => complete({ transact: ['item'] }))], { transact: () => held });
    const { id } = await kit.client.enqueue(send, { to: 'a' });
    expect(await kit.drain()).toMatchObject({ completed: 0, retried: 1 });
    expect(await kit.job(id)).toMatchObject({ failures: 0 });
    held = true;
    expect(await kit.advance('PT1H')).toMatchObject({ completed: 1 });
    expect(kit.transacted()).toEqual(['item']);
  });

  test('repeats itself from its seed', async () => {
    const times = async (seed: number): Promise<readonly number[]> => {
      const at: number[] = [];
      const flaky = defineJob('flaky', { payload: z.object({}) });
      const kit = createTestKit(
        [
          flaky.handle(() => {
            at.push(kit.clock.now());
            throw new Error('no');
          }),
        ],
        { seed },
      );
      await kit.client.enqueue(flaky, {});
      await kit.advance('P1D');
      return at;
    };
    expect(await times(1)).toEqual(await times(1));
    expect(await times(1)).not.toEqual(await times(2));
  });

  test('runs 1,000 jobs, a third of them retried, in well under a second', async () => {
    const kit = createTestKit([
      send.handle(({ payload, job }) => {
        if (payload.to.endsWith('3') && job.attempt === 1) throw new Error('once');
      }),
    ]);
    const began = process.cpuUsage();
    await kit.client.enqueueMany(
      send,
      Array.from({ length: 1_000 }, (_, index) => ({ to: `user-${index}` })),
    );
    const summary = await kit.advance('PT1H');
    const { user, system } = process.cpuUsage(began);
    expect(summary).toMatchObject({ completed: 1_000, retried: 100 });
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });
});
