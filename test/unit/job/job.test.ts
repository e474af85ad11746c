import { expect, test } from 'vitest';
import { FRESH_COUNTERS, isOccurrence, ranBefore } from '../../../shared/job/job.ts';

const ERROR = { name: 'Error', message: 'no', at: 0 };
const fresh = { ...FRESH_COUNTERS, starts: 0 };

test('a job ran before if it was claimed, went on with its state or failed', () => {
  expect(ranBefore(fresh)).toBe(false);
  expect(ranBefore({ ...fresh, continuations: 0 })).toBe(false);
  expect(ranBefore({ ...fresh, starts: 1 })).toBe(true);
  expect(ranBefore({ ...fresh, continuations: 1 })).toBe(true);
  expect(ranBefore({ ...fresh, error: ERROR })).toBe(true);
});

test('a job that is claimed for its first start did not run before', () => {
  expect(ranBefore({ ...fresh, starts: 1 }, 1)).toBe(false);
  expect(ranBefore({ ...fresh, starts: 2 }, 1)).toBe(true);
});

test('an occurrence is the job of a schedule that never ran', () => {
  expect(isOccurrence({ ...fresh, schedule: 'nightly' })).toBe(true);
  expect(isOccurrence(fresh)).toBe(false);
  expect(isOccurrence({ ...fresh, schedule: 'nightly', starts: 1 })).toBe(false);
  expect(isOccurrence({ ...fresh, schedule: 'nightly', backfill: true })).toBe(false);
});
