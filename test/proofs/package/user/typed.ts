// A user's TypeScript, checked against the declarations of the package. Lines marked as errors must be errors.
import { DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { App, Duration, Stack } from 'aws-cdk-lib';
import { complete, createJobClient, defineJob, exponential, fail, type JobClientOptions, snooze } from 'nightcrew';
import { createActivation } from 'nightcrew/admin';
import { JobExecutor } from 'nightcrew/infra';
import { aimAt, createFaults, SettableClock } from 'nightcrew/testing';
import { createExecutor } from 'nightcrew/worker';
import { z } from 'zod';

const sendInvoice = defineJob('invoice.send', {
  payload: z.object({ invoiceId: z.string(), copies: z.number().default(1) }),
  group: (payload) => payload.invoiceId,
  retry: exponential({ tries: 5 }),
});

const options: JobClientOptions = { beforeCreate: [(draft) => ({ ...draft, tenant: 'acme' })] };
const jobs = createJobClient(options);
export const id: Promise<string> = jobs
  .enqueue(sendInvoice, { invoiceId: 'i1' }, { delay: 'PT1H', key: 'i1' })
  .then((enqueued) => enqueued.id);
export const command = new TransactWriteItemsCommand({ TransactItems: [...jobs.prepare(sendInvoice, { invoiceId: 'i1' }).items] });
// @ts-expect-error the payload is typed by its schema
void jobs.enqueue(sendInvoice, { invoiceId: 5 });
// @ts-expect-error there is no such option
void jobs.enqueue(sendInvoice, { invoiceId: 'i1' }, { later: true });

export const handler = createExecutor([
  sendInvoice.handle(async ({ payload, job, signal, log }) => {
    const copies: number = payload.copies;
    log.info('sending', { copies, attempt: job.attempt, aborted: signal.aborted });
    return copies > 9 ? fail('too many') : copies > 5 ? snooze('PT1M') : complete();
  }),
]);

const executor = new JobExecutor(new Stack(new App(), 'Users'), 'Jobs', {
  workers: { default: { entry: 'worker.ts' } },
  settings: { executorTimeout: Duration.minutes(1) },
});
export const alarm = executor.metricJobsFailed();

const faults = createFaults({ seed: 7 });
export const dynamo: DynamoDBClient = faults.under(new DynamoDBClient({}), { skewMs: 1_000 });
faults.next(aimAt('UpdateItem', 'orders'), 'lost-reply');
faults.rate({ fault: 'slow', ms: 5 }, 0.1);
// @ts-expect-error there is no such fault
faults.next(aimAt('UpdateItem'), 'lost');
// @ts-expect-error that is no client
faults.under({});

export const clock: number = new SettableClock(0).now();
export const activation: typeof createActivation = createActivation;
