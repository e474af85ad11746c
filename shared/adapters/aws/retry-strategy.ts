import { systemClock, systemEntropy } from '../system.ts';
import type { Pace } from './backoff.ts';
import { isThrottle, nameOf } from './call-failure.ts';

/** Retries that one client may have made without a success since. */
const QUOTA = 1_000;
const THROTTLED_BASE_MS = 1_000;
const LONGEST_DELAY_MS = 20_000;
const LONGEST_HINTED_MS = 5_000;

/** The SDK's information about a failed attempt. */
interface FailedAttempt {
  readonly error?: unknown;
  readonly errorType: string;
  readonly retryAfterHint?: Date;
}

/** One call, as the SDK passes it from attempt to attempt. */
interface RetryToken {
  getRetryCount(): number;
  /** 0: the strategy itself has waited. The SDK would wait by the machine's clock. */
  getRetryDelay(): number;
  getRetryCost(): number;
}

const tokenOf = (count: number): RetryToken => ({ getRetryCount: () => count, getRetryDelay: () => 0, getRetryCost: () => 1 });

/** How often a call is tried and how long it waits in between. */
export interface RetryTerms extends Partial<Pace> {
  readonly maxAttempts: number;
  readonly baseMs: number;
}

/**
 * The SDK's standard retries with a quota that fits many calls at once. The SDK's own pays for 35 retries a client, so that most
 * of a hundred calls whose pooled connections a NAT dropped would fail at their first attempt.
 */
export class RetryStrategy {
  readonly mode = 'standard';
  readonly #maxAttempts: number;
  readonly #baseMs: number;
  readonly #pace: Pace;
  #left = QUOTA;

  constructor({ maxAttempts, baseMs, clock = systemClock, entropy = systemEntropy }: RetryTerms) {
    this.#maxAttempts = maxAttempts;
    this.#baseMs = baseMs;
    this.#pace = { clock, entropy };
  }

  async acquireInitialRetryToken(): Promise<RetryToken> {
    return tokenOf(0);
  }

  /** Waits and grants another attempt; throws when there is none. */
  async refreshRetryTokenForRetry(token: RetryToken, { error, errorType, retryAfterHint }: FailedAttempt): Promise<RetryToken> {
    const throttled = errorType === 'THROTTLING' || isThrottle(nameOf(error));
    const count = token.getRetryCount() + 1;
    if ((!throttled && errorType !== 'TRANSIENT') || count >= this.#maxAttempts || this.#left < 1) throw new Error('no retry');
    this.#left -= 1;
    const longest = Math.min((throttled ? THROTTLED_BASE_MS : this.#baseMs) * 2 ** (count - 1), LONGEST_DELAY_MS);
    const delay = Math.floor(this.#pace.entropy.random() * longest);
    const hinted = retryAfterHint === undefined ? 0 : retryAfterHint.getTime() - this.#pace.clock.now();
    await this.#pace.clock.wait(Math.max(delay, Math.min(hinted, delay + LONGEST_HINTED_MS)));
    return tokenOf(count);
  }

  /** A success pays back the retries that its call took, or one if it took none. */
  recordSuccess(token: RetryToken): void {
    this.#left = Math.min(QUOTA, this.#left + Math.max(1, token.getRetryCount()));
  }
}
