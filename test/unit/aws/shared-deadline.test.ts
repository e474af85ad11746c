import { expect, test } from 'vitest';
import { sendWithin } from '../../../shared/adapters/aws/attempt-guard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';

/** A clock that stands still, and whose waits end when they are told to. */
function standing() {
  const waits: { readonly signal: AbortSignal | undefined; readonly end: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    wait: async (_ms, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => resolve(), { once: true });
      waits.push({ signal, end: resolve });
      return promise;
    },
  };
  return { clock, waits };
}

function call(clock: Clock, deadline: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  const ended = sendWithin(clock, { deadline }, async ({ abortSignal }) => {
    signal = abortSignal;
    return promise;
  });
  const reply = async (): Promise<unknown> => {
    resolve();
    return ended;
  };
  ended.catch(() => {});
  return { reply, aborted: () => signal?.aborted };
}

test('calls that are under way at once wait for their deadline together, until the last of them has ended', async () => {
  const { clock, waits } = standing();
  const [first, second, other] = [call(clock, 1_000), call(clock, 1_000), call(clock, 2_000)];
  expect(waits).toHaveLength(2);
  await first.reply();
  expect(waits[0]?.signal?.aborted).toBe(false);
  await second.reply();
  expect(waits[0]?.signal?.aborted).toBe(true);
  await other.reply();
  const later = call(clock, 1_000);
  expect(waits).toHaveLength(3);
  expect(later.aborted()).toBe(false);
  await later.reply();
});

test('the deadline ends each of them, and none of another deadline', async () => {
  const { clock, waits } = standing();
  const [first, second, other] = [call(clock, 1_000), call(clock, 1_000), call(clock, 2_000)];
  waits[0]?.end();
  // The wait's promise is that of an asynchronous function, a few turns behind.
  await new Promise((resolve) => setImmediate(resolve));
  expect([first, second, other].map((one) => one.aborted())).toEqual([true, true, false]);
  const ends = await Promise.allSettled([first, second, other].map(async (one) => one.reply()));
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
});
