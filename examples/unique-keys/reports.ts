import * as z from 'zod/mini';
import { createJobClient, defineJob, jobIdFrom } from '../../shared/index.ts';

/** Builds the report of a customer. */
export const buildReport = defineJob('report.build', { payload: z.object({ customer: z.string(), filter: z.optional(z.string()) }) });

const jobs = createJobClient();

/** One report of a customer at a time: a second click finds the job of the first. */
export async function requestReport(customer: string): Promise<string> {
  const { id, duplicate } = await jobs.enqueue(buildReport, { customer }, { key: customer });
  return duplicate ? `${id} is at work already` : `${id} will build it`;
}

/** At most one report of a customer an hour, even if the first has finished. */
export async function requestHourlyReport(customer: string): Promise<boolean> {
  const { duplicate } = await jobs.enqueue(buildReport, { customer }, { key: { value: customer, for: 'PT1H' } });
  return !duplicate;
}

/** The report that has not started yet is built for the newest filter. */
export async function refineReport(customer: string, filter: string): Promise<string> {
  const key = { value: customer, onConflict: 'keep-latest' } as const;
  const { id, replaced } = await jobs.enqueue(buildReport, { customer, filter }, { key });
  return replaced === true ? `${id} will use the new filter` : `${id} will build it`;
}

/** One report after a customer's last change: 30 seconds after it, and at most five minutes after the first one. */
export async function onCustomerChanged(customer: string): Promise<void> {
  const debounce = { wait: 'PT30S', maxWait: 'PT5M' };
  await jobs.enqueue(buildReport, { customer }, { key: { value: `changed/${customer}`, onConflict: 'debounce', debounce } });
}

/** One report for each order, however often its event is delivered: the id follows from the event. */
export async function onOrderPaid(event: { readonly orderId: string; readonly customer: string; readonly paidAt: Date }): Promise<boolean> {
  const id = jobIdFrom(event.paidAt.getTime(), `report/${event.orderId}`);
  const { duplicate } = await jobs.enqueue(buildReport, { customer: event.customer }, { id });
  return !duplicate;
}

/** Cancels the report that holds the customer's key. */
export async function dropReport(customer: string): Promise<string> {
  const { outcome } = await jobs.cancelByKey(buildReport, customer, { reason: 'no longer wanted' });
  return outcome;
}
