import { describe, expect, test, vi } from 'vitest';
import { Arrivals } from '../../bench/latency/arrivals.ts';
import { oneByOne, steadily } from '../../bench/latency/pace.ts';
import { medianSplit, splitOf } from '../../bench/latency/split.ts';

describe('arrivals', () => {
  test('count the first arrival of a message and no later one', async () => {
    const arrivals = new Arrivals();
    const { n, arrived } = arrivals.expect();
    const before = performance.now();
    arrivals.arrive(n);
    const at = await arrived;
    arrivals.arrive(n);
    expect(await arrived).toBe(at);
    expect(at).toBeGreaterThanOrEqual(before);
  });

  test('that do not come are an error after half a minute', async () => {
    vi.useFakeTimers();
    const { arrived } = new Arrivals().expect();
    const [refused] = await Promise.allSettled([arrived, vi.advanceTimersByTimeAsync(30_000)]);
    expect(String((refused as PromiseRejectedResult).reason)).toContain('waited 30 s for message 1 to arrive, in vain');
    vi.useRealTimers();
  });
});

describe('a pace', () => {
  const hopOf = (arrivals: Arrivals, under: { now: number; most: number }) => ({
    send: async (n: number) => {
      under.most = Math.max(under.most, (under.now += 1));
      await new Promise((resolve) => setTimeout(resolve, 5));
      under.now -= 1;
      arrivals.arrive(n);
    },
  });

  test('one by one never has two under way', async () => {
    const [arrivals, under] = [new Arrivals(), { now: 0, most: 0 }];
    const latencies = await oneByOne(hopOf(arrivals, under), arrivals, 4);
    expect(latencies.every((ms) => ms >= 4)).toBe(true);
    expect([latencies.length, under.most]).toEqual([4, 1]);
  });

  test('at a steady rate waits for no message', async () => {
    const [arrivals, under] = [new Arrivals(), { now: 0, most: 0 }];
    const latencies = await steadily(hopOf(arrivals, under), arrivals, { count: 20, everyMs: 0 });
    expect([latencies.length, under.most]).toEqual([20, 20]);
  });
});

describe('where the time of a hop goes', () => {
  const OURS = [
    ['ask PutItem', 11],
    ['got PutItem', 13],
    ['ask SendMessageBatch', 14],
    ['got ReceiveMessage', 17],
    ['got SendMessageBatch', 18],
    ['ask UpdateItem', 20],
    ['got UpdateItem', 25],
  ].map(([what, at]) => ({ what: String(what), at: Number(at) }));

  test('is cut at its requests, and nothing of it is left out', () => {
    const split = splitOf(OURS, 10, 26);
    expect(split).toEqual({
      'before the first request': 1,
      put: 2,
      'from put to send': 1,
      'send to receive': 3,
      'from receive to claim': 3,
      claim: 5,
      'to the handler': 1,
    });
    expect(medianSplit([split])['whole']).toBe(16);
  });

  test('has no put and no claim where the hop makes none', () => {
    const bare = OURS.filter(({ what }) => what.endsWith('Batch') || what.endsWith('ReceiveMessage'));
    expect(splitOf(bare, 10, 26)).toEqual({ 'before the first request': 4, 'send to receive': 3, 'to the handler': 9 });
  });

  test('is the median of each step', () => {
    expect(medianSplit([{ put: 1 }, { put: 5 }, { put: 2 }])).toEqual({ whole: 2, put: 2 });
  });
});
