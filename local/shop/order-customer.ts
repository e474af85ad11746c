import { CUSTOMER_BROKEN, CUSTOMER_GONE } from '../../examples/order-service/webhook-receiver.ts';
import type { OrderReply } from '../../examples/order-service/order-function.ts';
import type { ExpectedEnding } from './ledger.ts';
import type { Shop } from './shop.ts';

/** One customer's order, and whether it is paid. */
export interface OrderPlan {
  readonly orderId: string;
  readonly customer: string;
  /** Nothing to pay means an invoice that cannot be rendered: a dead letter on purpose. */
  readonly amountCents: number;
  readonly paid: boolean;
}

/** Places an order and notes which jobs came of it and where they should end. */
export async function placeOrder(shop: Shop, { orderId, customer, amountCents }: OrderPlan): Promise<void> {
  const reply = await shop.order({ action: 'place', orderId, customer, amountCents });
  expectJobs(shop, reply, (type) => (type === 'invoice.render' && amountCents <= 0 ? 'dead' : 'completed'));
}

/** Pays an order; its reminder then ends as reported by the cancel. */
export async function payOrder(shop: Shop, { orderId, customer }: OrderPlan): Promise<void> {
  const reply = await shop.order({ action: 'pay', orderId });
  expectJobs(shop, reply, () => (customer === CUSTOMER_GONE || customer === CUSTOMER_BROKEN ? 'dead' : 'completed'));
  const { reminderId } = reply;
  const reminder = reminderId === undefined ? undefined : shop.ledger.expected.get(reminderId);
  if (reminderId === undefined || reminder === undefined) return;
  if (reply.reminder === 'cancelled') {
    shop.ledger.cancelled.add(reminderId);
    reminder.ending = 'cancelled';
  } else if (reply.reminder === 'cancel-requested') {
    reminder.ending = 'completed or cancelled';
  }
}

/** Requests a day's report. False if one is already under way: its unique key is taken. */
export async function askForReport(shop: Shop, day: string): Promise<boolean> {
  const reply = await shop.order({ action: 'report', day });
  if (reply.accepted) expectJobs(shop, reply, () => 'completed');
  return reply.accepted;
}

function expectJobs({ ledger }: Shop, reply: OrderReply, endingFor: (type: string) => ExpectedEnding): void {
  for (const [type, id] of Object.entries(reply.jobs)) ledger.expect(id, type, endingFor(type));
}
