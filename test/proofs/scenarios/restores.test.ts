import { describe, expect, it } from 'vitest';
import type { FindingKind } from '../../../operate/reconcile/findings.ts';
import { restoreTrial } from '../../support/restore-trial.ts';
import { TEST_SEED } from '../../support/test-seed.ts';

const SEEDS = Array.from({ length: 12 }, (_, index) => TEST_SEED + index);
/** What loads meet again and again; the other kinds are rarer, and have flows of their own. */
const USUAL = ['two-places', 'job-missing', 'batch-counts'] as const;

describe('many restores', () => {
  const sums: Partial<Record<FindingKind, number>> = {};

  it.each(SEEDS)('lose nothing and run nothing again (seed %i)', async (seed) => {
    const found = await restoreTrial(seed);
    expect(found).toBeTypeOf('object');
    for (const [kind, count] of Object.entries(found) as [FindingKind, number][]) sums[kind] = (sums[kind] ?? 0) + count;
  });

  it('meet every usual kind of what a restore leaves half done', () => {
    expect(Object.keys(sums)).toEqual(expect.arrayContaining([...USUAL]));
  });
});
