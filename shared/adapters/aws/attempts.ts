import { MAX_CLOCK_SKEW_MS } from '../../job/lease.ts';

/** What is known of the attempts of one logical request, over all its tries: the SDK's and those of our own loops. */
export class Attempts {
  /** When the first one started; undefined if none did. */
  firstAt: number | undefined;
  /** The latest instant at which one started. */
  lastAt: number | undefined;
  /** Attempts that may have been applied: applied, in flight, without an answer, or with an inconclusive one (5xx but 501). */
  unsure = 0;

  /** Notes an attempt that starts now. It counts until an answer shows that it was refused. */
  start(now: number): void {
    this.firstAt ??= now;
    this.lastAt = Math.max(now, this.lastAt ?? now);
    this.unsure += 1;
  }

  /** Notes how an attempt failed. A 4xx answer or a 501 shows that it was refused, so it was certainly not applied. */
  fail(error: unknown): void {
    if (isRefusal(statusOf(error))) this.unsure -= 1;
  }

  /** Begins with the attempts of a request that carried this one and others. */
  adopt({ firstAt, lastAt, unsure }: Attempts): void {
    this.firstAt = firstAt;
    this.lastAt = lastAt;
    this.unsure = unsure;
  }

  /** The last attempt was answered as a whole, and this one was turned away: it was certainly not applied. */
  takeBack(): void {
    this.unsure -= 1;
  }
}

/** Whether the clock was set back since an attempt started, by more than clocks may differ: then its age is unknown. */
export function isSetBack(now: number, lastAt: number | undefined): boolean {
  return lastAt !== undefined && now < lastAt - MAX_CLOCK_SKEW_MS;
}

/** The status of the answer that an error of the SDK came with; undefined if there was no answer. */
export function statusOf(error: unknown): number | undefined {
  const { $metadata, $response } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly $response?: { readonly statusCode?: number };
  };
  return $metadata?.httpStatusCode ?? $response?.statusCode;
}

/** 408: the service gave up waiting for the request. 501: it does not know the operation, so it did nothing. */
const isRefusal = (status: number | undefined): boolean =>
  status === 501 || (status !== undefined && status >= 400 && status < 500 && status !== 408);
