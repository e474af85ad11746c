import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { deliverWebhookWith, readRetryAfter } from '../../examples/order-service/handlers/deliver-webhook.ts';
import {
  CUSTOMER_BROKEN,
  CUSTOMER_GONE,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../examples/order-service/webhook-receiver.ts';
import { isSignedBy, signWebhook } from '../../examples/order-service/webhook-signature.ts';
import { NonRetryableError, RetryAfterError } from '../../shared/job/errors.ts';
import type { JobContext } from '../../shared/job/job-type.ts';
import { jobContext } from '../support/job-context.ts';

const secret = 'a secret';
let server: Server | undefined;
let receiver: WebhookReceiver | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  await receiver?.stop();
  server = receiver = undefined;
});

async function listen(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(started.address() as AddressInfo).port}/`;
}

type Webhook = { orderId: string; customer: string; event: string };

const contextOf = (orderId: string, customer = 'customer-1', signal?: AbortSignal): JobContext<Webhook> =>
  jobContext({ orderId, customer, event: 'order.paid' }, { id: `job-of-${orderId}`, type: 'webhook.deliver' }, signal);

const outcomeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'delivered',
    (error: unknown) => error,
  );

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return body;
}

test('a delivery is signed over its time and body and carries its job id as idempotency key', async () => {
  const seen: { body: string; request: IncomingMessage }[] = [];
  const url = await listen((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ body, request });
      response.end();
    });
  });
  await deliverWebhookWith({ url, secret })(contextOf('order-1'));
  const [{ body, request }] = seen as [(typeof seen)[number]];
  const timestamp = Number(request.headers['x-timestamp']);
  const signature = String(request.headers['x-signature']);
  expect(request.headers['idempotency-key']).toBe('job-of-order-1');
  expect(JSON.parse(body)).toEqual({ id: 'job-of-order-1', orderId: 'order-1', customer: 'customer-1', event: 'order.paid' });
  expect(isSignedBy(secret, { timestamp, body, signature }, timestamp)).toBe(true);
  expect(isSignedBy(secret, { timestamp, body: `${body} `, signature }, timestamp)).toBe(false);
  expect(isSignedBy(secret, { timestamp: timestamp + 1, body, signature }, timestamp)).toBe(false);
  expect(isSignedBy('another secret', { timestamp, body, signature }, timestamp)).toBe(false);
  expect(isSignedBy(secret, { timestamp, body, signature }, timestamp + 301)).toBe(false);
});

test.each([
  [400, NonRetryableError],
  [404, NonRetryableError],
  [410, NonRetryableError],
  [301, Error],
  [408, Error],
  [429, Error],
  [500, Error],
])('the answer %i fails the attempt with %o', async (status, kind) => {
  const url = await listen((_request, response) => response.writeHead(status).end());
  const outcome = await outcomeOf(deliverWebhookWith({ url, secret })(contextOf('order-1')));
  expect((outcome as Error).constructor).toBe(kind);
});

test.each([429, 503])('a Retry-After of the answer %i sets when the next try is due', async (status) => {
  const url = await listen((_request, response) => response.writeHead(status, { 'retry-after': '7' }).end());
  const outcome = await outcomeOf(deliverWebhookWith({ url, secret })(contextOf('order-1')));
  expect(outcome).toBeInstanceOf(RetryAfterError);
  expect(outcome).toMatchObject({ retryAfterMs: 7_000 });
});

test('a receiver that never answers is given up after its time', async () => {
  const url = await listen(() => {});
  expect(await outcomeOf(deliverWebhookWith({ url, secret, timeoutMs: 50 })(contextOf('order-1')))).toMatchObject({ name: 'TimeoutError' });
});

test("a delivery ends when the job's signal aborts", async () => {
  const over = new AbortController();
  const url = await listen(() => over.abort(new Error('cancelled')));
  expect(await outcomeOf(deliverWebhookWith({ url, secret })(contextOf('order-1', 'customer-1', over.signal)))).toMatchObject({
    message: 'cancelled',
  });
});

test.each([
  ['5', 5_000],
  ['Thu, 01 Jan 1970 00:00:10 GMT', 10_000],
  ['0', 0],
  ['999999999', 86_400_000],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After %j is %s milliseconds', (header, expected) => {
  expect(readRetryAfter(header, 0)).toBe(expected);
});

test('the receiver fails the same orders in the same way for the same seed, and takes each in the end', async () => {
  const playedWith = async (seed: number): Promise<readonly string[]> => {
    receiver = await startWebhookReceiver({ secret, seed });
    const deliver = deliverWebhookWith({ url: receiver.url, secret });
    const story: string[] = [];
    for (let n = 0; n < 20; n += 1) {
      for (let tries = 0; tries < 4 && !receiver.delivered.has(`job-of-order-${n}`); tries += 1) {
        const outcome = await outcomeOf(deliver(contextOf(`order-${n}`)));
        story.push(`${n}: ${outcome instanceof Error ? outcome.message : 'delivered'}`);
      }
    }
    expect(receiver.delivered.size).toBe(20);
    await receiver.stop();
    return story;
  };
  const first = await playedWith(1);
  expect(await playedWith(1)).toEqual(first);
  expect(await playedWith(2)).not.toEqual(first);
  expect(first.length).toBeGreaterThan(20);
});

test('the receiver drops what it has seen, refuses what is not signed, and never takes a hopeless customer', async () => {
  receiver = await startWebhookReceiver({ secret, seed: 1 });
  const deliver = deliverWebhookWith({ url: receiver.url, secret });
  for (let tries = 0; tries < 5; tries += 1) await outcomeOf(deliver(contextOf('order-1')));
  expect([receiver.delivered.size, (receiver.answers.get('duplicate') ?? 0) >= 1]).toEqual([1, true]);
  expect(await outcomeOf(deliver(contextOf('order-2', CUSTOMER_GONE)))).toBeInstanceOf(NonRetryableError);
  expect(await outcomeOf(deliver(contextOf('order-3', CUSTOMER_BROKEN)))).toMatchObject({ message: 'The receiver answered 500.' });
  const forged = await fetch(receiver.url, {
    method: 'POST',
    body: '{}',
    headers: { 'x-timestamp': '1', 'x-signature': signWebhook('wrong', 1, '{}') },
  });
  const huge = await fetch(receiver.url, { method: 'POST', body: 'x'.repeat(70_000) });
  expect([forged.status, huge.status, receiver.delivered.size]).toEqual([401, 413, 1]);
});

test.each(['', '{', 'null', '[]', '5', '{"id":5}', '{"id":"a","orderId":"b"}'])(
  'a webhook that is rightly signed and reads %j is refused',
  async (body) => {
    receiver = await startWebhookReceiver({ secret, seed: 1 });
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = { 'x-timestamp': String(timestamp), 'x-signature': signWebhook(secret, timestamp, body) };
    expect((await fetch(receiver.url, { method: 'POST', body, headers })).status).toBe(400);
  },
);
