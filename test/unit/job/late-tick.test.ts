import { expect, test } from 'vitest';
import { isLate, nextTickBy } from '../../../shared/job/late-tick.ts';

test('a heartbeat is late when two ticks and the patience with a tick have passed, and when it never was', () => {
  expect([179_999, 180_000, 180_001].map((now) => isLate(0, 60_000, now))).toEqual([false, false, true]);
  expect([600_000 + 60_000, 600_000 + 60_001].map((now) => isLate(5, 300_000, now + 5))).toEqual([false, true]);
  expect(isLate(undefined, 60_000, 0)).toBe(true);
});

test('what is to be done is seen by the next tick, which may be a minute late', () => expect(nextTickBy(1_000, 300_000)).toBe(361_000));
