import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IDLE, monthLines, total, type Work } from '../../../cli/cost/month.ts';
import { type Price, PRICE_TABLE, PRICES } from '../../../cli/cost/prices.ts';
import { countText, moneyText, priceText } from '../../../cli/text/money.ts';

const jobLines = (work: Partial<Work>) => monthLines({ ...IDLE, history: 'off', ...work }).filter(({ part }) => part === 'jobs');
const usdOf = (lines: ReturnType<typeof monthLines>, what: string): number | undefined => lines.find((line) => line.what === what)?.usd;

describe('a million plain jobs in tens', () => {
  const lines = jobLines({ jobs: 1_000_000 });

  test('cost what a pocket calculator says', () => {
    expect(usdOf(lines, 'jobs: 3 writes each')).toBeCloseTo(3 * 0.625, 10);
    expect(usdOf(lines, 'sends, receives and deletes')).toBeCloseTo(0.3 * 0.4, 10);
    expect(usdOf(lines, 'invocations of executors')).toBeCloseTo(0.02, 10);
    // 100,000 batches of 25 ms with half a GB.
    expect(usdOf(lines, 'run time of executors')).toBeCloseTo(1_250 * 0.0000133334, 10);
    expect(usdOf(lines, 'logs of executors')).toBeCloseTo(0.15 * 0.5, 10);
    expect(usdOf(lines, 'statistics and reports of sandboxes, at most')).toBeCloseTo(0.1 * 0.625 + 0.00864 * 0.625, 10);
    expect(total(lines)).toBeCloseTo(1.875 + 0.12 + 0.02 + 0.01666675 + 0.075 + 0.0045 + 0.0679 + 0.00625, 8);
  });

  test('pay for each message and each invocation when they come one by one', () => {
    const apart = jobLines({ jobs: 1_000_000, perBatch: 1 });
    expect(usdOf(apart, 'sends, receives and deletes')).toBeCloseTo(3 * 0.4, 10);
    expect(usdOf(apart, 'invocations of executors')).toBeCloseTo(0.2, 10);
  });

  test('pay a write for each KB, one more with history and five more with a durable one', () => {
    const large = jobLines({ jobs: 1_000_000, itemKb: 4, history: 'outcome' });
    expect(usdOf(large, 'jobs: 3 writes each')).toBeCloseTo(12 * 0.625, 10);
    expect(usdOf(large, 'history, outcome')).toBeCloseTo(4 * 0.625, 10);
    expect(usdOf(jobLines({ jobs: 1_000_000, history: 'durable' }), 'history, durable')).toBeCloseTo(5 * 0.625, 10);
  });
});

test('a million timers pay seven writes each, the locks of their shards and a month in the table', () => {
  const lines = jobLines({ timers: 1_000_000 });
  expect(usdOf(lines, 'timers: 7 writes each')).toBeCloseTo(4.375, 10);
  // 23.1 are due in a minute, so that 19.4 of the 64 shards have some; each is locked and released.
  expect(usdOf(lines, 'locks of shards with due timers, at most')).toBeCloseTo(1.049, 3);
  expect(usdOf(lines, 'timers and history in tables')).toBeCloseTo(1.124 * 0.25, 10);
});

test('a stack without monitoring waits for 80 cents a month, with it for 7.70 dollars', () => {
  expect(total(monthLines({ ...IDLE, monitoring: false }))).toBeCloseTo(0.8, 2);
  expect(total(monthLines(IDLE))).toBeCloseTo(7.7, 2);
});

test('twice the work costs as much at least, and twice as much at most', () => {
  const work = fc.record({
    jobs: fc.nat(1e9),
    timers: fc.nat(1e9),
    itemKb: fc.integer({ min: 1, max: 390 }),
    perBatch: fc.integer({ min: 1, max: 10 }),
    history: fc.constantFrom(...(['off', 'outcome', 'durable'] as const)),
    monitoring: fc.boolean(),
  });
  fc.assert(
    fc.property(work, (one) => {
      const [once, twice] = [one, { ...one, jobs: 2 * one.jobs, timers: 2 * one.timers }].map((each) => total(monthLines(each)));
      expect(twice).toBeGreaterThanOrEqual(once ?? Number.NaN);
      expect(twice).toBeLessThanOrEqual(2 * (once ?? Number.NaN) + 1e-6);
    }),
  );
});

test('every price is dated, has a source, and is more than nothing', () => {
  expect(PRICE_TABLE.asOf).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  for (const price of Object.values<Price>(PRICES)) {
    expect(price.usd).toBeGreaterThan(0);
    expect(price.seen).toMatch(/^\d{4}-\d{2}$/);
    expect(price.source).toMatch(/^https:\/\//);
  }
});

test('money, counts and prices are written as people read them', () => {
  expect([0, 0.004, 0.005, 1_234.5].map(moneyText)).toEqual(['$0.00', '< $0.01', '$0.01', '$1,234.50']);
  expect([0.1284, 9.9996, 1_296_000].map(countText)).toEqual(['0.128', '10', '1,296,000']);
  expect([PRICES.writeUnit, PRICES.gbSecond].map(priceText)).toEqual(['$0.625 a million', '$0.0000133334']);
});
