import { expect, test } from 'vitest';
import { batchesOf } from '../../../shared/ports/put-batches.ts';

const row = (kilobytes: number) => ({ id: 'a', text: 'x'.repeat(kilobytes * 1_000) });

test.each([
  { rows: 'small', of: Array.from({ length: 60 }, () => row(1)), sizes: [25, 25, 10], parallel: 8 },
  { rows: 'large', of: Array.from({ length: 7 }, () => row(300)), sizes: [3, 3, 1], parallel: 2 },
  { rows: 'medium', of: Array.from({ length: 25 }, () => row(15)), sizes: [25], parallel: 5 },
  { rows: 'a large one before small', of: [row(900), ...Array.from({ length: 26 }, () => row(5))], sizes: [20, 7], parallel: 2 },
  { rows: 'too large', of: [row(2_100)], sizes: [1], parallel: 1 },
])('$rows rows go in batches of what an attempt can carry, and as many at once as a slow line carries', ({ of, sizes, parallel }) => {
  const { batches, ...more } = batchesOf(of);
  expect(batches.map((batch) => batch.length)).toEqual(sizes);
  expect(more).toEqual({ parallel });
  expect(batches.flat()).toEqual(of);
});
