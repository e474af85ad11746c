import type { HandledJob } from '../../functions/index.ts';
import { deliverWebhookWith } from './handlers/deliver-webhook.ts';
import { remindOfPaymentWith } from './handlers/remind-of-payment.ts';
import { renderInvoiceWith } from './handlers/render-invoice.ts';
import { reportOrdersWith } from './handlers/report-orders.ts';
import { deliverWebhook, remindOfPayment, renderInvoice, reportOrders } from './jobs.ts';
import { openOrders, type Orders } from './orders.ts';
import { type Environment, shopEnvironment } from './shop-environment.ts';

/** The job types of the order service with the functions that run them. Opens the table at the first job. */
export function handledJobs(env: Environment): readonly HandledJob[] {
  const shop = shopEnvironment(env);
  let opened: Orders | undefined;
  const orders = (): Orders => (opened ??= openOrders(env));
  return [
    renderInvoice.handle((context) => renderInvoiceWith(orders(), shop.invoicesFolder)(context)),
    deliverWebhook.handle((context) => deliverWebhookWith({ url: shop.webhookUrl, secret: shop.webhookSecret })(context)),
    remindOfPayment.handle((context) => remindOfPaymentWith(orders())(context)),
    reportOrders.handle((context) => reportOrdersWith(orders(), shop.invoicesFolder)(context)),
  ];
}
