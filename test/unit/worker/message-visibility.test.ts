import { expect, test } from 'vitest';
import { SettableClock } from '../../../shared/adapters/memory/settable-clock.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import { keepHidden } from '../../../functions/worker/message-visibility.ts';

const MINUTE = 60_000;
const message: ReceivedHint = {
  messageId: 'm',
  receiptHandle: 'r',
  body: '',
  queue: { worker: 'w', lane: 'l', kind: 'standard' },
  receiveCount: 1,
};

function stage(acknowledge: () => Promise<void> = async () => {}) {
  const clock = new SettableClock();
  const hiddenUntil: number[] = [];
  const acknowledged: number[] = [];
  const hidden = keepHidden(
    {
      clock,
      inbox: { postpone: async (_, ms) => void hiddenUntil.push(clock.now() + ms), discard: async () => {}, reject: async () => {} },
      source: { receive: async () => [], acknowledge: async () => (acknowledged.push(clock.now()), acknowledge()) },
    },
    message,
    MINUTE,
  );
  return { clock, hidden, hiddenUntil, acknowledged, from: clock.now() };
}

test('a message is hidden a little longer than the lease, and released once before SQS would show it after 12 hours', async () => {
  const { clock, hidden, hiddenUntil, acknowledged, from } = stage();
  for (let minute = 0; minute < 13 * 60; minute++) {
    await clock.advance(MINUTE);
    await hidden.extend();
  }
  expect(hiddenUntil[0]).toBe(from + MINUTE + MINUTE + 30_000);
  expect(Math.max(...hiddenUntil) - from).toBeLessThan(12 * 60 * MINUTE);
  expect(acknowledged).toHaveLength(1);
  expect((acknowledged[0] ?? 0) - from).toBeLessThan(12 * 60 * MINUTE);
});

test('it is released a lease before it could be hidden no longer', async () => {
  const { clock, hidden, hiddenUntil, acknowledged, from } = stage();
  await clock.advance(11.5 * 60 * MINUTE - MINUTE - 1);
  await hidden.extend();
  expect(hiddenUntil).toHaveLength(1);
  await clock.advance(1);
  await hidden.extend();
  expect(acknowledged).toEqual([from + 11.5 * 60 * MINUTE - MINUTE]);
});

test('it is released once also when its queue does not answer', async () => {
  const { clock, hidden, acknowledged } = stage(() => Promise.reject(new Error('no answer')));
  await clock.advance(12 * 60 * MINUTE);
  await hidden.extend();
  await hidden.extend();
  expect(acknowledged).toHaveLength(1);
});
