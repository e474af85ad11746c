import { expect, test } from 'vitest';
import { SettableClock } from '../../../shared/memory/settable-clock.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import { keepHidden } from '../../../shared/worker/outside/message-visibility.ts';

const MINUTE = 60_000;
const message: ReceivedHint = {
  messageId: 'm',
  receiptHandle: 'r',
  body: '',
  queue: { worker: 'w', lane: 'l', kind: 'standard' },
  receiveCount: 1,
};

test('a message is hidden a little longer than the lease, and let go once before SQS would show it after 12 hours', async () => {
  const clock = new SettableClock();
  const hiddenUntil: number[] = [];
  const acknowledged: number[] = [];
  const hidden = keepHidden(
    {
      clock,
      inbox: { postpone: async (_, ms) => void hiddenUntil.push(clock.now() + ms), reject: async () => {} },
      source: { receive: async () => [], acknowledge: async () => void acknowledged.push(clock.now()) },
    },
    message,
    MINUTE,
  );
  const from = clock.now();
  for (let minute = 0; minute < 13 * 60; minute++) {
    await clock.advance(MINUTE);
    await hidden.extend();
  }
  expect(hiddenUntil[0]).toBe(from + MINUTE + MINUTE + 30_000);
  expect(Math.max(...hiddenUntil) - from).toBeLessThan(12 * 60 * MINUTE);
  expect(acknowledged).toHaveLength(1);
  expect((acknowledged[0] ?? 0) - from).toBeLessThan(12 * 60 * MINUTE);
});
