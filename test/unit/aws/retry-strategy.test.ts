import { beforeEach, expect, test } from 'vitest';
import { RetryStrategy } from '../../../shared/adapters/aws/retry-strategy.ts';
import { systemClock } from '../../../shared/adapters/system.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

const BROKEN = { error: new Error('reset'), errorType: 'TRANSIENT' };
const REFUSED = { error: new Error('access denied'), errorType: 'CLIENT_ERROR' };
const QUOTA = 1_000;

/** What was waited for, by the strategies of one test. */
const waits: number[] = [];
beforeEach(() => void (waits.length = 0));

const clock: Clock = { now: () => systemClock.now(), wait: async (ms) => void waits.push(ms) };
const strategy = (): RetryStrategy => new RetryStrategy({ maxAttempts: 4, baseMs: 25, clock });

/** How many of so many first retries are granted. */
async function granted(retries: RetryStrategy, calls: number): Promise<number> {
  const all = await Promise.allSettled(
    Array.from({ length: calls }, async () => retries.refreshRetryTokenForRetry(await retries.acquireInitialRetryToken(), BROKEN)),
  );
  return all.filter(({ status }) => status === 'fulfilled').length;
}

test('a store that is down is not asked four times by each call forever', async () => {
  expect(await granted(strategy(), QUOTA + 500)).toBe(QUOTA);
});

test('successes pay the quota back: what their retries took, or one', async () => {
  const retries = strategy();
  await granted(retries, QUOTA);
  retries.recordSuccess(await retries.acquireInitialRetryToken());
  expect(await granted(retries, 10)).toBe(1);
  const other = strategy();
  const token = await other.refreshRetryTokenForRetry(
    await other.refreshRetryTokenForRetry(await other.acquireInitialRetryToken(), BROKEN),
    BROKEN,
  );
  await granted(other, QUOTA);
  other.recordSuccess(token);
  expect(await granted(other, 10)).toBe(2);
});

test('four attempts at most, and none after a refusal', async () => {
  const retries = strategy();
  let token = await retries.acquireInitialRetryToken();
  for (let attempt = 2; attempt <= 4; attempt++) {
    token = await retries.refreshRetryTokenForRetry(token, BROKEN);
    expect(waits.at(-1)).toBeLessThan(25 * 2 ** (attempt - 2));
    // The SDK waits besides, by the machine's clock, for as long as the token says.
    expect(token.getRetryDelay()).toBe(0);
  }
  await expect(retries.refreshRetryTokenForRetry(token, BROKEN)).rejects.toThrow('no retry');
  await expect(retries.refreshRetryTokenForRetry(await retries.acquireInitialRetryToken(), REFUSED)).rejects.toThrow('no retry');
});

test('a service that says how long to wait is believed, for five seconds more than usual', async () => {
  const retries = strategy();
  const hinted = async (ms: number): Promise<number> => {
    const retryAfterHint = new Date(Date.now() + ms);
    await retries.refreshRetryTokenForRetry(await retries.acquireInitialRetryToken(), { ...BROKEN, retryAfterHint });
    return waits.at(-1) ?? Number.NaN;
  };
  expect(await hinted(2_000)).toBeGreaterThan(1_000);
  expect(await hinted(3_600_000)).toBeLessThan(5_100);
  expect(await hinted(-1_000)).toBeLessThan(25);
});
