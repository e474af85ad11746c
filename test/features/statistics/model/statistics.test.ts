import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addUpMinutes, delayBucket, delayEstimates, NO_WORKER } from '../../../../shared/features/statistics/model/statistics.ts';

const bucketsOf = (delays: readonly number[]): ReadonlyMap<number, number> => {
  const buckets = new Map<number, number>();
  for (const ms of delays) buckets.set(delayBucket(ms), (buckets.get(delayBucket(ms)) ?? 0) + 1);
  return buckets;
};

it('keeps what belongs to no worker in rows of this name', () => expect(NO_WORKER).toBe('all'));

describe('buckets of delays', () => {
  it('hold a delay between their bounds: an estimate of many equal ones is off by less than half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 2_000_000_000 }), (ms) => {
        const { p50, p95, max } = delayEstimates(bucketsOf(Array.from({ length: 20 }, () => ms))) ?? { p50: 0, p95: 0, max: 0 };
        expect(p50).toBeGreaterThan(ms / 1.5);
        expect(p50).toBeLessThan(ms * 1.5);
        expect(p95).toBeGreaterThanOrEqual(p50);
        expect(max).toBeGreaterThanOrEqual(ms);
        expect(max).toBeLessThan(ms * 1.5 + 1);
      }),
    );
  });

  it('never fall as the delay grows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), fc.integer({ min: 0, max: 4e9 }), (a, b) => {
        expect(delayBucket(Math.max(a, b))).toBeGreaterThanOrEqual(delayBucket(Math.min(a, b)));
      }),
    );
  });

  it('tell the many from the few: half of a thousand at 100 ms and twenty at 10 s', () => {
    const delays = [...Array.from({ length: 1_000 }, () => 100), ...Array.from({ length: 20 }, () => 10_000)];
    const { p50 = 0, p95 = 0, max = 0 } = delayEstimates(bucketsOf(delays)) ?? {};
    expect(p50).toBeLessThan(150);
    expect(p95).toBeLessThan(150);
    expect(max).toBeGreaterThan(10_000);
  });

  it('begin with what took less than a millisecond, or nothing', () =>
    expect([0, 0.5, 0.999, 1, 1.5].map(delayBucket)).toEqual([0, 0, 0, 1, 2]));

  it('are read in the order of their delays, whatever order they come in, and within one evenly', () => {
    expect(
      delayEstimates(
        new Map([
          [31, 5],
          [21, 15],
        ]),
      ),
    ).toEqual({ p50: 1_307, p95: 43_626, max: 46_341 });
    expect(
      delayEstimates(
        new Map([
          [21, 10],
          [31, 10],
        ]),
      )?.p50,
    ).toBe(1_448);
    expect(delayEstimates(new Map([[0, 20]]))).toEqual({ p50: 1, p95: 1, max: 1 });
  });

  it('that hold nothing estimate nothing', () => {
    expect(delayEstimates(new Map())).toBeUndefined();
    expect(delayEstimates(new Map([[3, 0]]))).toBeUndefined();
  });
});

describe('minutes of several workers', () => {
  it('add up to one', () => {
    const one = { counts: { started: 2, dead: 1 }, delays: new Map([[1, 2]]), runMs: 10, runs: 1 };
    const other = {
      counts: { started: 3, fired: 4 },
      delays: new Map([
        [1, 1],
        [5, 2],
      ]),
      runMs: 30,
      runs: 3,
    };
    expect(addUpMinutes([one, other])).toEqual({
      counts: { started: 5, dead: 1, fired: 4 },
      delays: new Map([
        [1, 3],
        [5, 2],
      ]),
      runMs: 40,
      runs: 4,
    });
  });
});
