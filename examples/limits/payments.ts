import * as z from 'zod/mini';
import { defineJob, defineLimit } from '../../shared/index.ts';
import type { HandledJob } from '../../functions/index.ts';
import type { Admin } from '../../operate/index.ts';

/** The payment provider's limit: two calls a minute in total. One object for every type that calls it. */
export const provider = defineLimit('payment-provider', { rate: 2, per: 'PT1M' });

/** A customer's exports go one after the other; those of different customers side by side. */
export const perCustomer = defineLimit(
  'per-customer',
  { concurrency: 1 },
  { key: (payload: { readonly customerId: string }) => payload.customerId },
);

/** Charges a card: needs a call of the provider, and no export of the customer that runs meanwhile. */
export const chargeCard = defineJob('card.charge', {
  payload: z.object({ customerId: z.string(), cents: z.number() }),
  limits: [provider, perCustomer],
});

/** Exports a customer's orders. */
export const exportOrders = defineJob('orders.export', {
  payload: z.object({ customerId: z.string() }),
  limits: [perCustomer],
});

/** The service that the handlers call. */
export interface Payments {
  charge(customerId: string, cents: number): Promise<void>;
  exportOrders(customerId: string): Promise<void>;
}

/** The handlers contain nothing about limits. */
export function paymentHandlers(payments: Payments): readonly HandledJob[] {
  return [
    chargeCard.handle(({ payload }) => payments.charge(payload.customerId, payload.cents)),
    exportOrders.handle(({ payload }) => payments.exportOrders(payload.customerId)),
  ];
}

/** Stops all calls while the provider is down, without a deployment. Charges wait, and cost no try. */
export async function providerIsDown(admin: Admin): Promise<void> {
  await admin.setLimit(provider.name, 0, { reason: 'the provider is down' });
}

/** Lets calls go on as the code says. */
export async function providerIsBack(admin: Admin): Promise<void> {
  await admin.clearLimit(provider.name);
}
