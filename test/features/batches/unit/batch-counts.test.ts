import { expect, it } from 'vitest';
import { correctionOf } from '../../../../operate/reconcile/batch-counts.ts';

const counts = (total: number, succeeded: number, failed: number, cancelled: number) => ({ total, succeeded, failed, cancelled });
const added = (succeeded: number, failed: number, cancelled: number) => ({ succeeded, failed, cancelled });

it.each([
  ['a job that is gone counts as cancelled', counts(4, 1, 0, 0), { living: 2, dead: 0 }, added(0, 0, 1)],
  ['a dead letter that nobody counted counts as failed', counts(4, 1, 0, 0), { living: 2, dead: 1 }, added(0, 1, 0)],
  ['no more count as failed than are missing', counts(4, 1, 0, 0), { living: 2, dead: 3 }, added(0, 1, 0)],
  ['dead letters that were counted do not count again', counts(6, 1, 1, 0), { living: 2, dead: 2 }, added(0, 1, 1)],
  ['dead letters that were deleted since do not count as less', counts(8, 1, 3, 0), { living: 2, dead: 1 }, added(0, 0, 2)],
  ['what lives is taken from succeeded first', counts(3, 3, 0, 0), { living: 1, dead: 0 }, added(-1, 0, 0)],
  ['then from cancelled', counts(4, 1, 0, 3), { living: 2, dead: 0 }, added(-1, 0, -1)],
  ['and from failed last', counts(2, 1, 2, 3), { living: 2, dead: 0 }, added(-1, -2, -3)],
  ['a counter below zero is not taken from', counts(1, -1, 5, -2), { living: 1, dead: 0 }, added(0, -2, 0)],
])('%s', (_title, seen, tally, correction) => {
  const found = correctionOf(seen, tally);
  for (const name of ['succeeded', 'failed', 'cancelled'] as const) expect(found?.[name]).toBeCloseTo(correction[name]);
  const sum = (one: object): number => Object.values(one).reduce((total: number, count: number) => total + count, 0);
  expect(sum(correction) + seen.succeeded + seen.failed + seen.cancelled + tally.living).toBe(seen.total);
});

it('a batch that agrees with its jobs is left alone', () => {
  expect(correctionOf(counts(4, 1, 1, 1), { living: 1, dead: 1 })).toBeUndefined();
});
