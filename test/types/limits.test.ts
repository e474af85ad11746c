import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, test } from 'vitest';
import { defineJob, defineLimit } from '../../shared/index.ts';

const order: StandardSchemaV1<{ customerId: string }> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as { customerId: string } }) },
};
const everywhere = defineLimit('everywhere', { concurrency: 2 });
const perCustomer = defineLimit('per-customer', { concurrency: 1 }, { key: (payload: { customerId: string }) => payload.customerId });
const perOrder = defineLimit('per-order', { concurrency: 1 }, { key: (payload: { orderId: string }) => payload.orderId });

test('a limit fits the types whose payload its key can read', () => {
  const type = defineJob('order.pack', { payload: order, limits: [everywhere, perCustomer] });
  expect(type.limits).toHaveLength(2);
  // @ts-expect-error -- an order without an orderId has no such key
  defineJob('order.send', { payload: order, limits: [perOrder] });
  // @ts-expect-error -- a rate needs its period
  expect(() => defineLimit('stripe', { rate: 1 })).toThrow(/per/);
});
