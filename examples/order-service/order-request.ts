import * as z from 'zod/mini';

const name = z.string().check(z.minLength(1), z.maxLength(200));

/** The event of the order function; an API Gateway would send the same as a body. */
const ORDER_REQUEST = z.discriminatedUnion('action', [
  // Nothing to pay is a request like any other here: its invoice cannot be rendered, which shows a dead letter.
  z.object({ action: z.literal('place'), orderId: name, customer: name, amountCents: z.int() }),
  z.object({ action: z.literal('pay'), orderId: name }),
  z.object({ action: z.literal('report'), day: z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/)) }),
]);

/** A request that was understood. */
export type OrderRequest = z.infer<typeof ORDER_REQUEST>;

/** An invalid request; the message names the fields, never their values. Nothing was written. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
}

/** Reads a request as it came in. Throws BadRequestError. */
export function readOrderRequest(event: unknown): OrderRequest {
  const read = ORDER_REQUEST.safeParse(event);
  if (read.success) return read.data;
  const fields = read.error.issues.map(({ path }) => path.join('.') || 'request');
  throw new BadRequestError(`Not valid: ${[...new Set(fields)].join(', ')}.`);
}
