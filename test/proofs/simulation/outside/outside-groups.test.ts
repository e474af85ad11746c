import { expect, test } from 'vitest';
import { TEST_SEED } from '../../../support/test-seed.ts';
import { runOutside } from './run-outside.ts';

const SEEDS = 6;

test('a group is exclusive in workers of every kind, through freezes, kills, outages and lost replies', async () => {
  let starts = 0;
  for (let seed = TEST_SEED; seed < TEST_SEED + SEEDS; seed++) {
    const report = await runOutside(seed);
    starts += report.starts;
    expect(report.violations, `NIGHTCREW_TEST_SEED=${seed}`).toEqual([]);
  }
  expect(starts).toBeGreaterThan(SEEDS * 20);
});

test('a renewal that arrives after the next one does not end the lock of a group early', async () => {
  expect((await runOutside(43_343_434)).violations).toEqual([]);
});

test('a process that goes on a moment before the next run of its job begins still has its moment', async () => {
  expect((await runOutside(355_939_775)).violations).toEqual([]);
});

test('a run of workers of every kind does the same again from the same seed', async () => {
  const [first, second, another] = [await runOutside(7), await runOutside(7), await runOutside(8)];
  expect(second.hash).toBe(first.hash);
  expect(another.hash).not.toBe(first.hash);
});
