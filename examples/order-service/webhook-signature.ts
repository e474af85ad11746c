import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that a signature is good for: a recorded request cannot be sent again later. */
export const SIGNATURE_LIFE_SECONDS = 300;

/** HMAC-SHA256 over the time and the body, as `sha256=<hex>`. `timestamp` is epoch seconds. */
export function signWebhook(secret: string, timestamp: number, body: string): string {
  return `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
}

/** Whether a signature is right and fresh; compares in constant time. */
export function isSignedBy(
  secret: string,
  request: { readonly timestamp: number; readonly body: string; readonly signature: string },
  nowSeconds: number,
): boolean {
  if (!(Math.abs(nowSeconds - request.timestamp) <= SIGNATURE_LIFE_SECONDS)) return false;
  const expected = Buffer.from(signWebhook(secret, request.timestamp, request.body));
  const given = Buffer.from(request.signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
