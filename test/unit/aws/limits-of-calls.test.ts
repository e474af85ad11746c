import { expect, test } from 'vitest';
import { latestStart, sendWithin } from '../../../shared/adapters/aws/attempt-guard.ts';
import { RetryStrategy } from '../../../shared/adapters/aws/retry-strategy.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';

const THROTTLED = { error: new Error('slow down'), errorType: 'THROTTLING' };
const entropy = { ...seededEntropy(1), random: () => 1 };

test.each([
  { limits: {}, at: Number.POSITIVE_INFINITY },
  { limits: { notAfter: 50, deadline: 70, withinMs: 90 }, at: 50 },
  { limits: { notAfter: 70, deadline: 50, withinMs: 90 }, at: 50 },
  { limits: { notAfter: 90, deadline: 70, withinMs: 40 }, at: 50 },
])('no attempt starts after the first of its limits ($limits)', ({ limits, at }) => {
  expect(latestStart(limits, { firstAt: 10 } as never)).toBe(at);
});

test.each([
  { leftMs: 60_000, ms: 5_000 },
  { leftMs: 700, ms: 700 },
  { leftMs: 0, ms: 1 },
])('an attempt has as much time as is left, and some in any case: none would be no limit ($leftMs ms)', async ({ leftMs, ms }) => {
  const clock = new JumpingClock();
  const deadline = clock.now() + leftMs;
  expect(await sendWithin(clock, { deadline }, async ({ requestTimeout }) => requestTimeout)).toBe(ms);
});

test('waits for a service that is throttled double, up to twenty seconds', async () => {
  const clock = new JumpingClock();
  const retries = new RetryStrategy({ maxAttempts: 8, baseMs: 25, clock, entropy });
  let token = await retries.acquireInitialRetryToken();
  for (let retry = 1; retry < 8; retry++) token = await retries.refreshRetryTokenForRetry(token, THROTTLED);
  expect(clock.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 20_000, 20_000]);
});

test('a quota that nothing was taken of does not grow', async () => {
  const retries = new RetryStrategy({ maxAttempts: 4, baseMs: 25, clock: new JumpingClock(), entropy });
  const token = await retries.acquireInitialRetryToken();
  for (let success = 0; success < 10; success++) retries.recordSuccess(token);
  const all = await Promise.allSettled(Array.from({ length: 1_010 }, async () => retries.refreshRetryTokenForRetry(token, THROTTLED)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1_000);
});
