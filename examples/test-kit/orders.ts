import * as z from 'zod/mini';
import { createJobClient, defineJob, type HandledJob, NonRetryableError } from '../../shared/index.ts';

const order = z.object({ orderId: z.string() });

export const chargeCard = defineJob('card.charge', { payload: order, retry: 'PT1M,PT10M' });
export const sendReceipt = defineJob('receipt.send', { payload: order });
export const remindOfPayment = defineJob('payment.remind', { payload: order });

// Created when the module is imported, as in any Lambda: it reads its environment at the first call.
const jobs = createJobClient();

/** Called by the web shop's function. */
export async function placeOrder(orderId: string): Promise<void> {
  await jobs.enqueue(chargeCard, { orderId }, { key: orderId });
  await jobs.enqueue(remindOfPayment, { orderId }, { key: orderId, delay: 'P3D' });
}

/** The card company, and the mail that goes out. */
export interface Outside {
  readonly charge: (orderId: string) => 'paid' | 'refused';
  readonly mail: (text: string) => void;
}

/** Passed to the worker's `createExecutor`. */
export function orderHandlers({ charge, mail }: Outside): readonly HandledJob[] {
  return [
    chargeCard.handle(async ({ payload: { orderId }, job }) => {
      if (charge(orderId) === 'refused') throw new NonRetryableError(`The card for ${orderId} was refused at try ${job.attempt}.`);
      await jobs.enqueue(sendReceipt, { orderId });
      await jobs.cancelByKey(remindOfPayment, orderId, { reason: 'paid' });
    }),
    sendReceipt.handle(({ payload }) => mail(`receipt ${payload.orderId}`)),
    remindOfPayment.handle(({ payload }) => mail(`reminder ${payload.orderId}`)),
  ];
}
