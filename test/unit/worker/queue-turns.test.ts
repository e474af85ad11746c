import { describe, expect, test } from 'vitest';
import type { QueueRef } from '../../../shared/ports/hints.ts';
import { QueueTurns } from '../../../functions/worker/queue-turns.ts';

const FIFO: QueueRef = { worker: 'w', lane: '', kind: 'fifo' };
const HIGH: QueueRef = { worker: 'w', lane: 'high', kind: 'standard' };
const LOW: QueueRef = { worker: 'w', lane: 'low', kind: 'standard' };

describe('the turns of queues', () => {
  test('with a place for each, all are waited at for as long as SQS waits', () => {
    const turns = new QueueTurns([HIGH, LOW]);
    expect(turns.next(2)).toEqual({ queue: HIGH, max: 1, waitMs: 20_000 });
    expect(turns.next(1)).toEqual({ queue: LOW, max: 1, waitMs: 20_000 });
    expect(turns.next(5)).toBeUndefined();
  });

  test('places are shared among the queues, at most ten messages at a time, and one of a group', () => {
    const turns = new QueueTurns([FIFO, HIGH, LOW]);
    expect(turns.next(60)).toMatchObject({ queue: FIFO, max: 1 });
    expect(turns.next(59)).toMatchObject({ queue: HIGH, max: 10 });
    expect(turns.next(7)).toMatchObject({ queue: LOW, max: 7 });
  });

  test('with one place they take turns, and no poll waits long at one while jobs may lie in another', () => {
    const turns = new QueueTurns([HIGH, LOW]);
    const order = [];
    for (let turn = 0; turn < 4; turn++) {
      const poll = turns.next(1);
      order.push(poll?.queue.lane);
      expect(poll?.waitMs).toBe(3_000);
      if (poll !== undefined) turns.ended(poll.queue, 0);
    }
    expect(order).toEqual(['high', 'low', 'high', 'low']);
  });

  test('while a queue has messages no poll waits at another, and the other is looked at all the same', () => {
    const turns = new QueueTurns([HIGH, LOW]);
    turns.next(1);
    turns.ended(HIGH, 1);
    expect(turns.next(1)).toMatchObject({ queue: LOW, waitMs: 0 });
    turns.ended(LOW, 0);
    expect(turns.next(1)).toMatchObject({ queue: HIGH, waitMs: 3_000 });
  });

  test('without a free place no queue is polled', () => expect(new QueueTurns([HIGH]).next(0)).toBeUndefined());
});
