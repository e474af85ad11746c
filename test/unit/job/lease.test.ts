import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidConfigurationError } from '../../../shared/job/errors.ts';
import {
  checkLeaseSettings,
  checkWorkerLease,
  executorLeaseUntil,
  FIRST_REDISPATCH_MS,
  MAX_CLOCK_SKEW_MS,
  MAX_REDISPATCH_MS,
  queueLeaseUntil,
  REDISPATCH_MS,
  UNFENCED_WRITE_WINDOW_MS,
  visibilityTimeoutMs,
} from '../../../shared/job/lease.ts';
import { NOON } from './sample-job.ts';

const SIGNATURE_LIFE_MS = 5 * 60_000;
const timeouts = fc.integer({ min: 1_000, max: 900_000 });
const margins = fc.integer({ min: 2 * MAX_CLOCK_SKEW_MS, max: 300_000 });

describe('the lease of a queue', () => {
  test('starts when the job is due, or now if that has passed', () => {
    expect(queueLeaseUntil(NOON, NOON + 60_000)).toBe(NOON + 60_000 + REDISPATCH_MS);
    expect(queueLeaseUntil(NOON, NOON - 60_000)).toBe(NOON + REDISPATCH_MS);
  });

  test('doubles with each redispatch in a row, up to an hour', () => {
    const lengths = Array.from({ length: 40 }, (_, redispatches) => queueLeaseUntil(0, 0, REDISPATCH_MS, redispatches));
    expect(lengths.slice(0, 6)).toEqual([1, 2, 4, 8, 16, 30].map((times) => times * REDISPATCH_MS));
    expect(new Set(lengths.slice(5))).toEqual(new Set([MAX_REDISPATCH_MS]));
  });

  test('of a row that nothing fenced outlasts every put that could still arrive', () => {
    expect(FIRST_REDISPATCH_MS).toBeGreaterThanOrEqual(UNFENCED_WRITE_WINDOW_MS + SIGNATURE_LIFE_MS);
  });
});

describe('the lease of an executor', () => {
  test('outlasts its hard deadline by the margin', () => expect(executorLeaseUntil(NOON, 10_000)).toBe(NOON + 10_000));
});

describe('a visibility timeout', () => {
  test('outlasts every lease, on both kinds of queue', () => {
    fc.assert(
      fc.property(fc.constantFrom('standard' as const, 'fifo' as const), timeouts, margins, (queue, functionTimeoutMs, leaseMarginMs) => {
        const visibilityMs = visibilityTimeoutMs(queue, functionTimeoutMs, leaseMarginMs);
        expect(visibilityMs).toBeGreaterThan(functionTimeoutMs + leaseMarginMs);
        expect(() => checkLeaseSettings({ leaseMarginMs, functionTimeoutMs, visibilityMs })).not.toThrow();
      }),
    );
  });

  test('is six times the function timeout on standard queues and short on FIFO, where it blocks a group', () => {
    expect(visibilityTimeoutMs('standard', 300_000, 10_000)).toBe(1_800_000);
    expect(visibilityTimeoutMs('fifo', 300_000, 10_000)).toBe(340_000);
  });

  test('that a lease could outlast is refused', () => {
    const settings = { leaseMarginMs: 10_000, functionTimeoutMs: 300_000, visibilityMs: 310_000 };
    expect(() => checkLeaseSettings(settings)).toThrow(/^visibilityTimeout: 310000 ms must be more than/);
    expect(() => checkLeaseSettings({ ...settings, visibilityMs: 310_001 })).not.toThrow();
  });

  test('goes with a margin of at least twice the clock skew', () => {
    const settings = { leaseMarginMs: 2 * MAX_CLOCK_SKEW_MS - 1, functionTimeoutMs: 1_000, visibilityMs: 900_000 };
    expect(() => checkLeaseSettings(settings)).toThrow(InvalidConfigurationError);
    expect(() => checkLeaseSettings({ ...settings, leaseMarginMs: 2 * MAX_CLOCK_SKEW_MS })).not.toThrow();
  });
});

test('a margin that is longer than five timeouts makes the visibility longer still', () =>
  expect(visibilityTimeoutMs('standard', 10_000, 300_000)).toBe(311_000));

test('a lease outside Lambda is at least twice its margin, so that it is renewed before the margin begins', () => {
  expect(() => checkWorkerLease({ workerLeaseMs: 19_999, leaseMarginMs: 10_000 })).toThrow(InvalidConfigurationError);
  expect(() => checkWorkerLease({ workerLeaseMs: 20_000, leaseMarginMs: 10_000 })).not.toThrow();
});
