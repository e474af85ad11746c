import * as api from '@opentelemetry/api';
import * as z from 'zod/mini';
import { openTelemetry } from '../../shared/adapters/opentelemetry/index.ts';
import { complete, createJobClient, defineJob, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const order = z.object({ orderId: z.string() });
export const charge = defineJob('order.charge', { payload: order, retry: 'R3/PT1M' });
export const sendReceipt = defineJob('order.receipt', { payload: order });

const tracing = openTelemetry(api);
const tracer = api.trace.getTracer('shop');

/** The producer: in Lambda `createJobClient({ tracing })` at the top of the module. */
async function placeOrder(orderId: string): Promise<void> {
  const jobs = createJobClient({ tracing });
  await tracer.startActiveSpan('POST /orders', async (span) => {
    await jobs.enqueue(charge, { orderId });
    span.end();
  });
}

/** The executor: in Lambda `createExecutor([...], { tracing })`. Spans that a handler starts are children of its attempt. */
const handlers = [
  charge.handle(async ({ payload, job }) => {
    await tracer.startActiveSpan('charge card', async (span) => span.end());
    if (job.attempt === 1) throw new Error('The provider is down.');
    return complete({ enqueue: [followUp(sendReceipt, payload)] });
  }),
  sendReceipt.handle(() => undefined),
];

/** Places an order whose first charge fails. */
export async function runOrder(): Promise<void> {
  const kit = createTestKit(handlers, { tracing });
  const uninstall = kit.install();
  await placeOrder('o-1').finally(uninstall);
  await kit.advance('PT5M');
}
