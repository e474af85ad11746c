import { randomUUID } from 'node:crypto';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { defineJob } from '../../shared/job/job-type.ts';

/** The payload of this bench's jobs: about 200 bytes of JSON. */
export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
}

const schema: StandardSchemaV1<Order> = {
  '~standard': {
    version: 1,
    vendor: 'bench',
    validate: (value) =>
      typeof (value as Order | null)?.orderId === 'string' ? { value: value as Order } : { issues: [{ message: 'no orderId' }] },
  },
};

/** The job that both sides enqueue, move and scan. */
export const order = defineJob('order.ship', { payload: schema });

/** This many different orders. */
export function orders(count: number): readonly Order[] {
  return Array.from({ length: count }, (_, n) => ({
    orderId: randomUUID(),
    customer: `customer-${n % 97}@example.com`,
    lines: [
      { sku: `sku-${n % 13}`, quantity: 1 },
      { sku: `sku-${n % 17}`, quantity: 2 },
    ],
  }));
}
