import * as z from 'zod/mini';
import { defineJob, InvalidInputError } from '../../shared/index.ts';
import { createTestKit } from '../../testing/index.ts';

export const bill = defineJob('tenant.bill', { payload: z.object({ month: z.string() }) });
export const sendInvoice = defineJob('tenant.send-invoice', { payload: z.object({ month: z.string() }) });

/** Bills two tenants and returns what each of them got, and what each could not access. */
export async function runBilling(): Promise<readonly string[]> {
  const story: string[] = [];
  const kit = createTestKit([
    // The follow-up inherits the tenant: nothing has to be handed on.
    bill.handle(async ({ payload }) => void (await kit.client.enqueue(sendInvoice, payload))),
    sendInvoice.handle(({ payload, job }) => void story.push(`${job.tenant ?? 'nobody'} gets its invoice of ${payload.month}`)),
  ]);
  const [acme, globex] = [kit.client.forTenant('acme'), kit.client.forTenant('globex')];
  const { id } = await acme.enqueue(bill, { month: 'May' }, { key: 'May' });
  // The same key, but another tenant's: both are billed, each once.
  await globex.enqueue(bill, { month: 'May' }, { key: 'May' });
  story.push(`acme again: ${(await acme.enqueue(bill, { month: 'May' }, { key: 'May' })).duplicate ? 'billed already' : 'billed twice'}`);
  story.push(`globex sees the job of acme: ${(await globex.get(id)) !== undefined}`, `globex cancels it: ${await globex.cancel(id)}`);
  try {
    await globex.enqueue(bill, { month: 'May' }, { tenant: 'acme' });
  } catch (error) {
    if (error instanceof InvalidInputError) story.push('globex enqueues for acme: refused');
  }
  await kit.drain();
  return story;
}
