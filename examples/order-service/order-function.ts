import type { Context } from 'aws-lambda';
import { createJobClient } from '../../shared/index.ts';
import { deliverWebhook, remindOfPayment, renderInvoice, reportOrders } from './jobs.ts';
import { openOrders, type Orders } from './orders.ts';
import { type OrderRequest, readOrderRequest } from './order-request.ts';
import { type Environment, processEnvironment, shopEnvironment } from './shop-environment.ts';

export type { OrderRequest } from './order-request.ts';

/** The result: the enqueued jobs, by type. `accepted` is false for a repeated request. */
export interface OrderReply {
  readonly accepted: boolean;
  readonly jobs: Readonly<Record<string, string>>;
  readonly reminderId?: string;
  /** How cancelling the reminder ended. */
  readonly reminder?: string;
}

/** Builds the Lambda; the clients are made at its first call, so that loading it never fails. */
export function createOrderFunction(env: Environment): (request: OrderRequest, context: Context) => Promise<OrderReply> {
  let shop: Shop | undefined;
  return async (event) => {
    const request = readOrderRequest(event);
    shop ??= { orders: openOrders(env), jobs: createJobClient({ environment: env }), reminderAfter: shopEnvironment(env).reminderAfter };
    switch (request.action) {
      case 'place':
        return place(shop, request);
      case 'pay':
        return pay(shop, request.orderId);
      case 'report': {
        const { id, duplicate } = await shop.jobs.enqueue(reportOrders, { day: request.day }, { key: request.day });
        return { accepted: !duplicate, jobs: { 'report.daily': id } };
      }
    }
  };
}

interface Shop {
  readonly orders: Orders;
  readonly jobs: ReturnType<typeof createJobClient>;
  readonly reminderAfter: string;
}

/** The order and its two jobs are written in one transaction: all of them or none. */
async function place({ orders, jobs, reminderAfter }: Shop, request: OrderRequest & { action: 'place' }): Promise<OrderReply> {
  const { orderId, customer, amountCents } = request;
  const invoice = jobs.prepare(renderInvoice, { orderId }, { correlationId: orderId, tenant: customer });
  const reminder = jobs.prepare(remindOfPayment, { orderId }, { delay: reminderAfter, correlationId: orderId });
  const placedAt = new Date().toISOString();
  const placed = await orders.place({ orderId, customer, amountCents, status: 'placed', placedAt, reminderId: reminder.id }, [
    ...invoice.items,
    ...reminder.items,
  ]);
  if (!placed) return { accepted: false, jobs: {} };
  await Promise.all([invoice.dispatch(), reminder.dispatch()]);
  return { accepted: true, jobs: { 'invoice.render': invoice.id, 'payment.reminder': reminder.id } };
}

/** Cancelling is repeated for an order that is paid already: an earlier call may have died in between. */
async function pay({ orders, jobs }: Shop, orderId: string): Promise<OrderReply> {
  const order = await orders.get(orderId);
  if (order === undefined) throw new Error(`There is no order ${orderId}.`);
  const webhook = jobs.prepare(deliverWebhook, { orderId, customer: order.customer, event: 'order.paid' }, { correlationId: orderId });
  const paid = await orders.pay(orderId, new Date().toISOString(), webhook.items);
  if (paid) await webhook.dispatch();
  const reminder = await jobs.cancel(order.reminderId);
  return { accepted: paid, jobs: paid ? { 'webhook.deliver': webhook.id } : {}, reminderId: order.reminderId, reminder };
}

/** The Lambda's entry. */
export const handler = createOrderFunction(processEnvironment());
