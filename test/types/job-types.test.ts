import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { complete, createJobClient, defineJob, defineSchedule, type JobContext, snooze } from '../../shared/index.ts';
import { createExecutor } from '../../functions/index.ts';

// What the compiler must accept and refuse; `npm run check` fails when it does otherwise. Nothing here runs against a store.
const sendInvoice = defineJob('invoice.send', {
  payload: z.object({ invoiceId: z.string(), sentAt: z.coerce.date() }),
  group: (payload) => payload.invoiceId,
  priority: (payload) => payload.sentAt.getDay(),
});
const client = createJobClient({ environment: {} });

describe('the types of a job', () => {
  it('give the handler what the schema gives out', () => {
    sendInvoice.handle(({ payload, job, signal, log }) => {
      expectTypeOf(payload).toEqualTypeOf<{ invoiceId: string; sentAt: Date }>();
      expectTypeOf(job.attempt).toEqualTypeOf<number>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(log).toHaveProperty('info');
    });
    expectTypeOf<JobContext<{ a: 1 }>['payload']>().toEqualTypeOf<{ a: 1 }>();
  });

  it('let a handler return nothing or a verdict, now or later, and nothing else', () => {
    const send = async (): Promise<{ MessageId: string }> => ({ MessageId: 'm' });
    const handlers = (): unknown[] => [
      sendInvoice.handle(() => {}),
      sendInvoice.handle(() => undefined),
      sendInvoice.handle(async () => void (await send())),
      sendInvoice.handle(({ log }) => log.info('sent')),
      sendInvoice.handle(({ job }) => (job.attempt > 1 ? snooze('PT1H') : undefined)),
      sendInvoice.handle(async () => complete()),
      // @ts-expect-error -- what an SDK answers is no verdict
      sendInvoice.handle(() => send()),
      // @ts-expect-error -- nor is it where it is awaited
      sendInvoice.handle(async () => await send()),
      // @ts-expect-error -- a text is no verdict
      sendInvoice.handle(() => 'done'),
    ];
    expectTypeOf(handlers).toBeFunction();
  });

  it('ask a schedule for what the schema takes in, and for a time', () => {
    const calls = (): unknown[] => [
      defineSchedule('daily', { job: sendInvoice, payload: { invoiceId: 'i', sentAt: '2026-01-01' }, cron: '@daily' }),
      // @ts-expect-error -- a payload without its invoice
      defineSchedule('daily', { job: sendInvoice, payload: { sentAt: '2026-01-01' }, cron: '@daily' }),
      // @ts-expect-error -- a policy that there is not
      defineSchedule('daily', { job: sendInvoice, payload: { invoiceId: 'i', sentAt: '2026-01-01' }, missed: 'some' }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it('ask the producer for what the schema takes in', () => {
    const calls = (): unknown[] => [
      client.enqueue(sendInvoice, { invoiceId: 'i', sentAt: '2026-01-01' }),
      // @ts-expect-error -- a payload without its invoice
      client.enqueue(sendInvoice, { sentAt: '2026-01-01' }),
      // @ts-expect-error -- a number is no invoice id
      client.enqueueMany(sendInvoice, [{ invoiceId: 7, sentAt: 0 }]),
      // @ts-expect-error -- an option that does not exist
      client.enqueue(sendInvoice, { invoiceId: 'i', sentAt: 0 }, { dueAt: 'tomorrow' }),
    ];
    expectTypeOf(calls).toBeFunction();
  });

  it('prepare items of the AWS SDK for a transaction of the caller', () => {
    const prepare = (): { items: TransactWriteItem[]; id: string } => client.prepare(sendInvoice, { invoiceId: 'i', sentAt: 0 });
    expectTypeOf(prepare).returns.toExtend<{ items: TransactWriteItem[] }>();
  });

  it('make an executor that Lambda and its types accept', () => {
    const handler = createExecutor([sendInvoice.handle(() => undefined)]);
    expectTypeOf<SQSEvent>().toExtend<Parameters<typeof handler>[0]>();
    expectTypeOf<Awaited<ReturnType<typeof handler>>>().toExtend<SQSBatchResponse>();
    // @ts-expect-error -- a definition is not a handler
    const wrong = (): unknown => createExecutor([sendInvoice]);
    expectTypeOf(wrong).toBeFunction();
  });
});
