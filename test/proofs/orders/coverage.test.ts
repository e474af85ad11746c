import { describe, expect, test } from 'vitest';
import type { Run } from '../../support/figures.ts';
import { coverageRows, freshBase, walkedPairs } from './coverage.ts';

const run = (base: number, pairs: number, { of = 10, cut = '' } = {}): Run => ({
  proof: 'orders-strength-1',
  date: '2026-01-01',
  base,
  figures: { of, reach: pairs, cut, pairs, walks: 2 * pairs, orders: 5 * pairs, capped: 0, violations: 0 },
});

describe('runs over parts of a strength', () => {
  test('add up, each from its own place and around the end', () => {
    expect([...walkedPairs([run(12, 2), run(29, 3)], 1, 10)]).toEqual([2, 3, 9, 0, 1]);
  });

  test('leave out what was not walked whole when the time was up', () => {
    expect([...walkedPairs([run(2, 4, { cut: '0 2' })], 1, 10)]).toEqual([3, 5]);
  });

  test('count for nothing when there were other pairs, for another strength, and when they broke a rule', () => {
    const { figures: _none, ...broken } = run(1, 5);
    expect(walkedPairs([run(1, 5, { of: 9 }), broken, { ...run(1, 5), proof: 'orders-strength-2' }], 1, 10).size).toBe(0);
  });

  test('begin where nothing was walked, and anywhere when everything was', () => {
    expect(freshBase(12, walkedPairs([run(2, 3)], 1, 10), 10)).toBe(15);
    expect(freshBase(18, walkedPairs([run(8, 4)], 1, 10), 10)).toBe(22);
    expect(freshBase(12, walkedPairs([run(0, 10)], 1, 10), 10)).toBe(12);
  });

  test('show which strength was walked whole', () => {
    expect(coverageRows([run(4, 10)])[0]).toContain('| all 10 | 50 in 20 walks | 0 |');
    expect(coverageRows([run(4, 3), run(6, 2)])[0]).toContain('| 4 of 10 |');
    expect(coverageRows([])[3]).toContain('| none |');
  });
});
