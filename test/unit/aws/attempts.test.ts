import { expect, it } from 'vitest';
import { Attempts } from '../../../shared/adapters/aws/attempts.ts';

it('attempts at one request are known by the first and the latest instant, also where the clock was set back', () => {
  const attempts = new Attempts();
  for (const now of [2_000, 3_000, 1_000]) attempts.start(now);
  expect([attempts.firstAt, attempts.lastAt]).toEqual([2_000, 3_000]);
});
