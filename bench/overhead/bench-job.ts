import { z } from 'zod/mini';
import { defineJob } from '../../shared/job/job-type.ts';

/** A job that does nothing, with a payload of about 200 bytes that is validated as a user's is. */
export const noop = defineJob('bench.noop', {
  payload: z.object({ orderId: z.string(), customer: z.string(), amount: z.number(), currency: z.string(), note: z.string() }),
});

/** The payload of `noop`. */
export interface Order {
  readonly orderId: string;
  readonly customer: string;
  readonly amount: number;
  readonly currency: string;
  readonly note: string;
}

/** The payload of job `n`. */
export const orderOf = (n: number): Order => ({
  orderId: `order-2026-${String(n).padStart(10, '0')}`,
  customer: 'c0a80101-7f3e-4d2a-9b1c-5e8f6a7d9c30',
  amount: 1_999 + (n % 100),
  currency: 'EUR',
  note: 'Leave it with the neighbours on the second floor if nobody answers',
});
