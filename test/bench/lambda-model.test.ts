import { describe, expect, test } from 'vitest';
import { EventSource } from '../../bench/scale/model/event-source.ts';
import { type ModelMessage, ModelQueue, type Received } from '../../bench/scale/model/model-queue.ts';
import { Latencies } from '../../bench/scale/model/latency.ts';
import { quickEntropy } from '../../bench/scale/model/quick-entropy.ts';
import { ModelTime } from '../../bench/scale/model/model-time.ts';

const MINUTE = 60_000;

const message = (id: string, group?: string): ModelMessage => ({ id, body: '{}', receives: 0, ...(group === undefined ? {} : { group }) });
const many = (count: number, prefix: string, group?: string): readonly ModelMessage[] =>
  Array.from({ length: count }, (_, n) => message(`${prefix}${n}`, group));

function openQueue(kind: 'standard' | 'fifo' = 'standard') {
  const time = new ModelTime(0);
  return { time, queue: new ModelQueue({ worker: 'default', lane: 'default', kind }, time) };
}

const ids = (received: readonly Received[]): readonly string[] => received.map(({ messageId }) => messageId);

/** An event source whose batches never end, so that what runs is what it may run. */
function openSource({ most, warm = false }: { readonly most: number; readonly warm?: boolean }) {
  const { time, queue } = openQueue();
  const source = new EventSource({
    time,
    latencies: new Latencies(time, quickEntropy(1)),
    queue,
    batchSize: 10,
    most,
    warm,
    run: () => new Promise(() => {}),
  });
  queue.send(many(100_000, 'm'));
  return { time, source };
}

describe('the model of an event source', () => {
  test('starts with five batches at a time and takes three hundred more a minute', async () => {
    const { time, source } = openSource({ most: 1_000 });
    expect(source.peak).toBe(5);
    await time.runUntil(MINUTE);
    expect(source.peak).toBe(305);
    await time.runUntil(2 * MINUTE);
    expect(source.peak).toBe(605);
  });

  test('stops at its maximum concurrency', async () => {
    const { time, source } = openSource({ most: 50 });
    await time.runUntil(5 * MINUTE);
    expect(source.peak).toBe(50);
  });

  test('begins at its most when it has been busy for long', () => expect(openSource({ most: 50, warm: true }).source.peak).toBe(50));

  test('begins with five again after a minute of idleness', async () => {
    const { time, queue } = openQueue();
    const source = new EventSource({
      time,
      latencies: new Latencies(time, quickEntropy(1)),
      queue,
      batchSize: 10,
      most: 1_000,
      run: async (messages) => {
        await time.clock.wait(100);
        for (const one of messages) queue.acknowledge(one.message);
      },
    });
    queue.send(many(60_000, 'm'));
    await time.runUntil(3 * MINUTE);
    expect(queue.visible).toBe(0);
    expect(source.allowed).toBeGreaterThan(100);
    await time.runUntil(6 * MINUTE);
    queue.send(many(10, 'n'));
    expect(source.allowed).toBe(5);
  });
});

describe('the model of a queue', () => {
  test('hands out ten messages at most, and no more than may be in flight', () => {
    const { queue } = openQueue();
    queue.send(many(120_005, 'm'));
    let taken = 0;
    for (let batch = queue.receive(25); batch.length > 0; batch = queue.receive(25)) {
      expect(batch.length).toBeLessThanOrEqual(10);
      taken += batch.length;
    }
    expect(taken).toBe(120_000);
    expect(queue.refused).toBeGreaterThan(0);
  });

  test('keeps a delayed message back until its second', async () => {
    const { time, queue } = openQueue();
    queue.send([message('later')], 5_000);
    await time.runUntil(4_999);
    expect(queue.receive(10)).toEqual([]);
    await time.runUntil(5_000);
    expect(ids(queue.receive(10))).toEqual(['later']);
  });

  test('lets quiet tenants pass one that holds most of what is in flight', () => {
    const { queue } = openQueue();
    queue.send(many(1_000, 'noisy', 'large'));
    queue.send(many(5, 'quiet', 'small'));
    const first = Array.from({ length: 3 }, () => queue.receive(10)).flat();
    expect(ids(first).filter((id) => id.startsWith('quiet'))).toHaveLength(5);
  });

  test('hands a group of a FIFO queue out in order, and holds the rest back while some of it is in flight', () => {
    const { queue } = openQueue('fifo');
    queue.send([...many(12, 'a', 'one'), ...many(2, 'b', 'two')]);
    const first = queue.receive(10);
    expect(ids(first)).toEqual(many(10, 'a').map(({ id }) => id));
    expect(ids(queue.receive(10))).toEqual(['b0', 'b1']);
    expect(queue.receive(10)).toEqual([]);
    for (const one of first) queue.acknowledge(one.message);
    expect(ids(queue.receive(10))).toEqual(['a10', 'a11']);
  });

  test('refuses calls to a FIFO queue beyond seventy thousand a second', async () => {
    const { time, queue } = openQueue('fifo');
    for (let n = 0; n < 70_000; n++) queue.send([]);
    expect(queue.send([message('one too many', 'g')])).toBe(false);
    await time.runUntil(1_000);
    expect(queue.send([message('next second', 'g')])).toBe(true);
  });
});
