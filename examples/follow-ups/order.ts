import * as z from 'zod/mini';
import { complete, defineJob, followUp } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

const order = z.object({ orderId: z.string() });

/** Charges an order; packing and the receipt exist if and only if the charge was recorded. */
export const charge = defineJob('order.charge', { payload: order, retry: 'R3/PT1M' });
export const pack = defineJob('order.pack', { payload: order, retry: 'R2/PT5M' });
export const sendReceipt = defineJob('order.receipt', { payload: order });

/** Runs an order whose first charge fails and whose packing fails once, and returns what happened when. */
export async function runOrder(): Promise<readonly string[]> {
  const story: string[] = [];
  const start = Date.UTC(2026, 0, 1);
  const kit = createTestKit(
    [
      charge.handle(({ payload, job }) => {
        story.push(`${time()} charge, try ${job.attempt}`);
        if (job.attempt === 1) throw new Error('The provider is down.');
        return complete({
          enqueue: [
            // Urgent as the order itself; the receipt is as urgent as receipts are.
            followUp(pack, payload, { inheritPriority: true }),
            followUp(sendReceipt, payload, { delay: 'PT10M', key: payload.orderId }),
          ],
          result: { charged: payload.orderId },
        });
      }),
      pack.handle(({ job }) => {
        story.push(
          `${time()} pack, try ${job.attempt}, priority ${job.priority}, order process ${job.correlationId}, tenant ${job.tenant}`,
        );
        if (job.attempt === 1) throw new Error('Out of boxes.');
      }),
      sendReceipt.handle(({ job }) => void story.push(`${time()} receipt, priority ${job.priority}, order process ${job.correlationId}`)),
    ],
    { now: start },
  );
  const time = (): string => new Date(kit.clock.now()).toISOString().slice(11, 19);
  const { id } = await kit.client.enqueue(charge, { orderId: 'o-1' }, { priority: 5, tenant: 'acme', correlationId: 'process-1' });
  await kit.drain();
  story.push(
    `${time()} to do: ${kit
      .enqueued()
      .map((one) => one.type)
      .join(', ')}`,
  );
  await kit.advance('PT15M');
  const ended = await kit.client.waitForResult(id, { timeout: 0 });
  story.push(`result: ${JSON.stringify(ended)}`);
  return story;
}
