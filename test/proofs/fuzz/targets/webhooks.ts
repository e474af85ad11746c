import fc from 'fast-check';
import { readRetryAfter } from '../../../../examples/order-service/handlers/deliver-webhook.ts';
import { csvField } from '../../../../examples/order-service/handlers/report-orders.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../../examples/order-service/webhook-receiver.ts';
import { signWebhook } from '../../../../examples/order-service/webhook-signature.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';

const SECRET = 'a secret';
const STATUSES = [200, 400, 401, 410, 413, 429, 500, 503];
let started: Promise<WebhookReceiver> | undefined;

const body = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .dictionary(
        fc.constantFrom('id', 'orderId', 'customer', '__proto__', 'event'),
        fc.oneof(fc.jsonValue(), fc.constantFrom('a', '__proto__', 'customer-gone', 'customer-broken')),
      )
      .map((webhook) => JSON.stringify(webhook)),
    fc.integer({ min: 60_000, max: 70_000 }).map((length) => 'x'.repeat(length)),
  );

/** Any request to the example's webhook receiver, also correctly signed: one of its answers, and it keeps listening. */
export const webhooks: FuzzTarget = fuzzTarget({
  name: 'webhooks',
  shortRuns: 80,
  longestMs: 1_000,
  input: () =>
    fc.record({
      body: body(),
      signature: fc.oneof({ weight: 4, arbitrary: fc.constant('right') }, { weight: 1, arbitrary: fc.base64String() }),
      timestamp: fc.constantFrom('now', '0', '-1', 'NaN', '1e400', ''),
      retryAfter: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double().map(String),
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
    }),
  async check({ body, signature, timestamp, retryAfter }) {
    const { url } = await (started ??= startWebhookReceiver({ secret: SECRET, seed: 1 }));
    const now = String(Math.floor(Date.now() / 1000));
    const at = timestamp === 'now' ? now : timestamp;
    const headers = { 'x-timestamp': at, 'x-signature': signature === 'right' ? signWebhook(SECRET, Number(at), body) : signature };
    const { status } = await fetch(url, { method: 'POST', body, headers });
    if (!STATUSES.includes(status)) throw new Error(`It answered ${status}.`);
    const wait = readRetryAfter(retryAfter, Date.now()) ?? 0;
    if (!(wait >= 0 && wait <= 86_400_000)) throw new Error(`Retry-After ${retryAfter} is ${wait} ms.`);
    const field = csvField(body);
    if (!/^"(?:[^"]|"")*"$/.test(field) || /^"[=+\-@\t\r]/.test(field)) throw new Error(`${field.slice(0, 80)} is no harmless field.`);
  },
  close: async () => {
    await (await started)?.stop();
    started = undefined;
  },
});
