import * as z from 'zod/mini';
import { defineJob, exponential } from '../../shared/index.ts';

// Shared by the Lambda that enqueues and the worker that runs; it carries no handler code.

/** Renders the invoice of an order into a file. */
export const renderInvoice = defineJob('invoice.render', {
  payload: z.object({ orderId: z.string() }),
  retry: 'R3/PT2S',
});

/** Tells a customer's own system about an order. One at a time per customer, so that events arrive in order. */
export const deliverWebhook = defineJob('webhook.deliver', {
  payload: z.object({ orderId: z.string(), customer: z.string(), event: z.enum(['order.paid']) }),
  group: (webhook) => webhook.customer,
  retry: exponential({ tries: 4, base: 'PT1S', max: 'PT1M' }),
  timeout: 'PT20S',
});

/** Reminds of a payment that is overdue; cancelled when the order is paid. */
export const remindOfPayment = defineJob('payment.reminder', {
  payload: z.object({ orderId: z.string() }),
});

/** Writes all orders into a CSV file. */
export const reportOrders = defineJob('report.daily', {
  payload: z.object({ day: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)) }),
  retry: 'PT1S,PT10S',
});
