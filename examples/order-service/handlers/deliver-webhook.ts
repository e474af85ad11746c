import { type JobContext, NonRetryableError, RetryAfterError } from '../../../functions/index.ts';
import { signWebhook } from '../webhook-signature.ts';

/** The receiver of webhooks, and the key that signs them. */
export interface WebhookTarget {
  readonly url: string;
  readonly secret: string;
  /** How long a receiver may take to answer. Default 5 s. */
  readonly timeoutMs?: number;
}

const LONGEST_RETRY_AFTER_MS = 24 * 3_600_000;

/**
 * POSTs an event, signed, with the job's id as idempotency key: the receiver drops duplicates. A Retry-After is
 * honoured, a refusal for good (4xx except 408 and 429) is not tried again.
 */
export function deliverWebhookWith({ url, secret, timeoutMs = 5_000 }: WebhookTarget) {
  return async ({ payload, job, signal, log }: JobContext<{ orderId: string; customer: string; event: string }>): Promise<void> => {
    const body = JSON.stringify({ id: job.id, ...payload });
    const timestamp = Math.floor(Date.now() / 1000);
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      headers: {
        'content-type': 'application/json',
        'idempotency-key': job.id,
        'x-timestamp': String(timestamp),
        'x-signature': signWebhook(secret, timestamp, body),
      },
    });
    await response.body?.cancel();
    log.info('webhook answered', { status: response.status });
    if (response.ok) return;
    const message = `The receiver answered ${response.status}.`;
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'), Date.now());
    if (retryAfterMs !== undefined && (response.status === 429 || response.status === 503))
      throw new RetryAfterError(message, retryAfterMs);
    const forGood = response.status >= 400 && response.status < 500 && response.status !== 408 && response.status !== 429;
    throw forGood ? new NonRetryableError(message) : new Error(message);
  };
}

/** The delay in a Retry-After header, given in seconds or as a date, in milliseconds; undefined if invalid. At most a day. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_RETRY_AFTER_MS) : undefined;
}
