import { describe, expect, test } from 'vitest';
import { giveBackDelayMs } from '../../../functions/executor/receive.ts';

describe('the message of a job that could not start', () => {
  test('comes back at once the first time, later each time after that, and never later than a minute', () => {
    expect([0, 1, 2, 3, 12, 13, 14, 1_000].map(giveBackDelayMs)).toEqual([0, 0, 5_000, 10_000, 55_000, 60_000, 60_000, 60_000]);
  });
});
