import { describe, expect, test } from 'vitest';
import { allProcessTimes, cpuSecondsOf, processTimes } from '../../bench/peers/cpu-time.ts';
import { systemBinary } from '../../bench/frame/system-binary.ts';
import { BULK, payloadBatches } from '../../bench/peers/system.ts';
import { whoIsAhead } from '../../bench/peers/who-is-ahead.ts';

describe('the processor time of a store', () => {
  test('is read from /proc, whatever the name of the process holds', () => {
    const line = '4711 (postgres: a (b) c) S 42 4711 4711 0 -1 4194560 900 0 0 0 150 50 7 3 20 0 1 0 100 0 0';
    expect(processTimes(line)).toEqual({ pid: 4711, parent: 42, own: 200, ended: 10 });
  });

  test('is that of its whole tree, including children that have ended, and of no other job', () => {
    const times = [
      { pid: 1, parent: 0, own: 10_000, ended: 10_000 },
      { pid: 10, parent: 1, own: 100, ended: 30 },
      { pid: 11, parent: 10, own: 50, ended: 0 },
      { pid: 12, parent: 11, own: 20, ended: 0 },
      { pid: 20, parent: 1, own: 5, ended: 0 },
    ];
    expect(cpuSecondsOf([10], times)).toBe(2);
    expect(cpuSecondsOf([10, 20], times)).toBe(2.05);
    expect(cpuSecondsOf([99], times)).toBe(0);
  });

  test.runIf(process.platform === 'linux')('of a live process grows when it works', () => {
    const before = cpuSecondsOf([process.pid], allProcessTimes());
    const until = process.cpuUsage().user + 50_000;
    while (process.cpuUsage().user < until);
    expect(cpuSecondsOf([process.pid], allProcessTimes())).toBeGreaterThan(before);
  });
});

describe('who is ahead', () => {
  const always = (median: number) => ({ min: median * 0.9, median, max: median * 1.1 });

  test('is told from the ratios: more jobs a second are better, less time and less CPU are', () => {
    expect(
      whoIsAhead([
        { peer: 'pg-boss', figure: 'rate', ratio: always(0.25) },
        { peer: 'pg-boss', figure: 'enqueueRate', ratio: always(2) },
        { peer: 'pg-boss', figure: 'workerCpu', ratio: always(3) },
        { peer: 'pg-boss', figure: 'pickupMedian', ratio: always(0.5) },
        { peer: 'bullmq', figure: 'storeCpu', ratio: always(0.1) },
      ]),
    ).toEqual([
      "Ahead in every round: pg-boss in draining (4x), the worker's CPU (3x); Nightcrew in enqueueing in bulk (2x), median pick-up (2x).",
      "Ahead in every round: bullmq in nothing; Nightcrew in the store's CPU (10x).",
    ]);
  });

  test('is undecided where the rounds disagree, whatever their median', () => {
    expect(whoIsAhead([{ peer: 'bullmq', figure: 'pickupP99', ratio: { min: 0.9, median: 3, max: 4 } }])).toEqual([
      'Ahead in every round: bullmq in nothing; Nightcrew in nothing; now one, now the other in pick-up at p99.',
    ]);
  });
});

describe('the bench of the peers', () => {
  test('says what to install where a server is missing', () => {
    expect(() => systemBinary('no-such-server')).toThrow('apt-get install');
  });

  test('gives every job to a bulk call once', () => {
    const batches = payloadBatches(2 * BULK + 1);
    expect(batches.map((batch) => batch.length)).toEqual([BULK, BULK, 1]);
    expect(new Set(batches.flat().map(({ number }) => number)).size).toBe(2 * BULK + 1);
  });
});
