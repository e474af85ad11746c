import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isSignedBy } from './webhook-signature.ts';

/** How the receiver treats deliveries. */
export interface WebhookReceiverOptions {
  readonly secret: string;
  /** The same seed fails the same orders in the same way. */
  readonly seed: number;
}

/** A customer's system, played by a server on a free loopback port. */
export interface WebhookReceiver {
  readonly url: string;
  /** Order ids by the job that delivered them, each once. */
  readonly delivered: ReadonlyMap<string, string>;
  /** Answers by status, and `duplicate` for deliveries that had been seen before. */
  readonly answers: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Customers whose system never accepts a delivery: it is gone, or fails on every try. */
export const CUSTOMER_GONE = 'customer-gone';
export const CUSTOMER_BROKEN = 'customer-broken';

const MAX_BODY_BYTES = 64 * 1024;

interface Answer {
  readonly status: number;
  readonly retryAfter?: number;
}

/** Answers of the first deliveries of an order, before it is taken: three of five orders go through at once. */
const TROUBLES: readonly (readonly Answer[])[] = [[], [], [], [{ status: 503 }, { status: 500 }], [{ status: 429, retryAfter: 1 }]];

/** Starts a receiver that verifies signatures, drops duplicates and fails some of the time. */
export async function startWebhookReceiver({ secret, seed }: WebhookReceiverOptions): Promise<WebhookReceiver> {
  const delivered = new Map<string, string>();
  const answers = new Map<string, number>();
  const tries = new Map<string, number>();
  const count = (answer: string): void => void answers.set(answer, (answers.get(answer) ?? 0) + 1);

  const answerTo = (request: IncomingMessage, body: string): Answer => {
    const timestamp = Number(request.headers['x-timestamp']);
    const signature = String(request.headers['x-signature'] ?? '');
    if (!isSignedBy(secret, { timestamp, body, signature }, Date.now() / 1000)) return { status: 401 };
    const webhook = readWebhook(body);
    if (webhook === undefined) return { status: 400 };
    const { id, orderId, customer } = webhook;
    if (delivered.has(id)) {
      count('duplicate');
      return { status: 200 };
    }
    if (customer === CUSTOMER_GONE) return { status: 410 };
    if (customer === CUSTOMER_BROKEN) return { status: 500 };
    const earlier = tries.get(id) ?? 0;
    tries.set(id, earlier + 1);
    const trouble = troublesOf(seed, orderId)[earlier];
    if (trouble !== undefined) return trouble;
    delivered.set(id, orderId);
    return { status: 200 };
  };

  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => reply(response, body === undefined ? { status: 413 } : answerTo(request, body), count),
      () => reply(response, { status: 400 }, count),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    delivered,
    answers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Webhook = Readonly<Record<'id' | 'orderId' | 'customer', string>>;

/** A signature proves the sender of a body, not that it is valid. */
function readWebhook(body: string): Webhook | undefined {
  try {
    const webhook = JSON.parse(body) as Partial<Record<string, unknown>> | null;
    return ['id', 'orderId', 'customer'].every((name) => typeof webhook?.[name] === 'string') ? (webhook as Webhook) : undefined;
  } catch {
    return undefined;
  }
}

function troublesOf(seed: number, orderId: string): readonly Answer[] {
  const drawn = createHash('sha256').update(`${seed}/${orderId}`).digest().readUInt32BE(0);
  return TROUBLES[drawn % TROUBLES.length] ?? [];
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function reply(response: ServerResponse, { status, retryAfter }: Answer, count: (answer: string) => void): void {
  count(String(status));
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
  response.end();
}
