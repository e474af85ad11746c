import { expect, it } from 'vitest';
import { rowBytes, writeUnits } from '../../../shared/store/row-bytes.ts';

it('a row costs a write unit for each begun kilobyte of names and values, a number a byte and one for two digits', () => {
  const full = { a: 'x'.repeat(1_019), n: 1_234 };
  expect(writeUnits(full)).toBe(1);
  expect(writeUnits({ ...full, n: 12_345 })).toBe(2);
  expect(writeUnits({ ...full, a: `${full.a}x` })).toBe(2);
});

it('a row counts with what an item takes besides its attributes, and with the most that a number takes', () => {
  expect(rowBytes({ ab: 'ü', n: 1 })).toBe(100 + 4 + 1 + 22);
});
