import { expect, test } from 'vitest';
import { z } from 'zod';
import { continueWith, defineJob, defineLimit, defineSchedule, followUp, type JobType } from '../../../shared/index.ts';
import { shardOf } from '../../../shared/job/job-id.ts';
import { createTestKit, type TestKit } from '../../../testing/index.ts';

const any = z.object({ n: z.number() });
const time = (kit: TestKit): string => new Date(kit.clock.now()).toISOString().slice(0, 16);

/** A kit that notes when each job of a type ran. */
function noting(job: JobType<{ n: number }, { n: number }>): { readonly kit: TestKit; readonly ran: string[] } {
  const ran: string[] = [];
  const kit: TestKit = createTestKit([job.handle(({ payload }) => void ran.push(`${time(kit)} ${payload.n}`))]);
  return { kit, ran };
}

test('an advance over a week runs each occurrence of a schedule at its time', async () => {
  const job = defineJob('noted', { payload: any });
  const { kit, ran } = noting(job);
  await kit.admin.schedules.put(defineSchedule('nightly', { job, payload: { n: 1 }, cron: '30 2 * * *' }));
  const summary = await kit.advance('P7D');
  expect(ran).toEqual([1, 2, 3, 4, 5, 6, 7].map((day) => `2026-01-0${day}T02:30 1`));
  expect(summary).toMatchObject({ completed: 7 });
});

test('a schedule goes on after one of its occurrences was cancelled, as in a deployment', async () => {
  const job = defineJob('noted', { payload: any });
  const { kit, ran } = noting(job);
  await kit.admin.schedules.put(defineSchedule('hourly', { job, payload: { n: 1 }, cron: '0 * * * *' }));
  await kit.advance('PT27M');
  const next = kit.enqueued(job)[0];
  expect(await kit.client.cancel(next?.id ?? '')).toBe('cancelled');
  await kit.advance('PT5H');
  expect(ran.map((line) => line.slice(11, 16))).toEqual(['02:00', '03:00', '04:00', '05:00']);
});

test('a rate limit spreads jobs over time', async () => {
  const job = defineJob('noted', { payload: any, limits: [defineLimit('two-a-minute', { rate: 2, per: 'PT1M' })] });
  const { kit, ran } = noting(job);
  for (const n of [1, 2, 3, 4, 5]) await kit.client.enqueue(job, { n });
  await kit.advance('PT10M');
  expect(ran.map((line) => line.slice(11, 16))).toHaveLength(5);
  expect(new Set(ran.map((line) => line.slice(-1)))).toEqual(new Set(['1', '2', '3', '4', '5']));
  for (const minute of new Set(ran.map((line) => line.slice(0, 16)))) {
    expect(ran.filter((line) => line.startsWith(minute)).length).toBeLessThanOrEqual(2);
  }
});

test('a concurrency limit parks what has no room, and releases it when there is', async () => {
  const slow = defineJob('slow', { payload: any, limits: [defineLimit('one-at-a-time', { concurrency: 1 })] });
  const ran: string[] = [];
  const kit: TestKit = createTestKit(
    [
      slow.handle(async ({ payload, signal }) => {
        await kit.clock.wait(60_000, signal);
        ran.push(`${time(kit)} ${payload.n}`);
      }),
    ],
    { settings: { batchConcurrency: 0 } },
  );
  for (const n of [1, 2, 3]) await kit.client.enqueue(slow, { n });
  const drained = kit.drain();
  await kit.clock.advance(1_000);
  expect([...kit.enqueued(slow)].map(({ payload }) => payload.n)).toEqual([2, 3]);
  for (let minute = 0; minute < 5; minute++) await kit.clock.advance(60_000);
  expect(await drained).toMatchObject({ completed: 3, parked: 2 });
  expect(ran.map((line) => line.slice(-1))).toEqual(['1', '2', '3']);
});

test("an operator's number holds a limit shut until it is cleared, and the jobs that waited run", async () => {
  const job = defineJob('noted', { payload: any, limits: [defineLimit('provider', { concurrency: 2 })] });
  const { kit, ran } = noting(job);
  expect(await kit.admin.setLimit('provider', 0, { reason: 'the provider is down' })).toBe('set');
  for (const n of [1, 2, 3]) await kit.client.enqueue(job, { n });
  expect(await kit.drain()).toMatchObject({ completed: 0, parked: 3 });
  await kit.advance('PT1H');
  expect(ran).toEqual([]);
  expect(await kit.admin.clearLimit('provider')).toBe('cleared');
  await kit.advance('PT5M');
  expect(ran.map((line) => line.slice(-1))).toEqual(['1', '2', '3']);
});

test('a suspension that ends by itself resumes its jobs in an advance', async () => {
  const job = defineJob('noted', { payload: any });
  const { kit, ran } = noting(job);
  await kit.admin.suspend({ type: job.name }, { reason: 'maintenance', until: { for: 'PT30M' } });
  await kit.client.enqueue(job, { n: 1 });
  expect(await kit.drain()).toMatchObject({ suspended: 1, completed: 0 });
  await kit.advance('PT29M');
  expect(ran).toEqual([]);
  await kit.advance('PT5M');
  expect(ran).toHaveLength(1);
});

test('a job that continues counts each run, and ends once', async () => {
  const pages = defineJob('pages', { payload: any });
  const seen: unknown[] = [];
  const kit = createTestKit([
    pages.handle(({ payload, state }) => {
      const page = ((state as { page?: number } | undefined)?.page ?? 0) + 1;
      seen.push(page);
      return page < payload.n ? continueWith({ page }) : undefined;
    }),
  ]);
  await kit.client.enqueue(pages, { n: 3 });
  expect(await kit.drain()).toMatchObject({ continued: 2, completed: 1 });
  expect(seen).toEqual([1, 2, 3]);
});

test('the callback of a batch runs when its last child has ended', async () => {
  const child = defineJob('child', { payload: any });
  const ran: string[] = [];
  const done = defineJob('done', { payload: z.object({}) });
  const kit = createTestKit([child.handle(({ payload }) => void ran.push(`child ${payload.n}`)), done.handle(() => void ran.push('done'))]);
  await kit.client.enqueueBatch(child, [{ n: 1 }, { n: 2 }], { onCompleted: followUp(done, {}) });
  await kit.drain();
  expect(ran).toEqual(['child 1', 'child 2', 'done']);
});

test('large timers of one instant all run, whatever a partition of DynamoDB would take in a second', async () => {
  const large = defineJob('large', { payload: z.object({ text: z.string() }) });
  let ran = 0;
  const kit = createTestKit([large.handle(() => void ran++)]);
  const text = 'x'.repeat(200_000);
  const ids: string[] = [];
  // So many in one shard are more than a transaction, and each transaction more than a second's units.
  while (ids.length < 10) {
    const id = kit.client.newId({ delay: 'PT1H' });
    if (shardOf(id) === '07') ids.push(id);
  }
  for (const id of ids) await kit.client.enqueue(large, { text }, { id });
  expect(await kit.advance('PT2H')).toMatchObject({ completed: 10 });
  expect(ran).toBe(10);
});
