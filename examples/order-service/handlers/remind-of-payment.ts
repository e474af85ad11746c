import type { JobContext } from '../../../functions/index.ts';
import type { Orders } from '../orders.ts';

/** Records a payment reminder, unless the order was paid in the meantime: the cancel may have come too late. */
export function remindOfPaymentWith(orders: Pick<Orders, 'noteReminder'>) {
  return async ({ payload, log }: JobContext<{ orderId: string }>): Promise<void> => {
    const reminded = await orders.noteReminder(payload.orderId, new Date().toISOString());
    log.info(reminded ? 'reminded of the payment' : 'paid in the meantime', { orderId: payload.orderId });
  };
}
