import { describe, expect, test } from 'vitest';
import { runSeed } from './run-seed.ts';
import { addSeed, noTotals, unexplainedRescues } from './totals.ts';

const FROM = 100_000;
const SEEDS = 20;
const PATIENCE = 240_000;

describe('a simulated deployment', () => {
  test(
    `keeps its promises through ${SEEDS} seeds of faults`,
    async () => {
      const totals = noTotals();
      for (let seed = FROM; seed < FROM + SEEDS; seed++) addSeed(totals, await runSeed(seed));
      expect(totals.violations).toEqual([]);
      expect(unexplainedRescues(totals)).toBeUndefined();
      expect(totals.operations).toBeGreaterThan(80_000);
    },
    PATIENCE,
  );

  test(
    'does the same again from the same seed',
    async () => {
      for (let seed = FROM; seed < FROM + 5; seed++) {
        const [first, second] = [await runSeed(seed), await runSeed(seed)];
        expect(second.hash).toBe(first.hash);
      }
      expect((await runSeed(FROM)).hash).not.toBe((await runSeed(FROM + 1)).hash);
    },
    PATIENCE,
  );

  test(
    'completes each job once even when nobody kills a sandbox at its deadline',
    async () => {
      const broken = [
        'group-exclusive',
        'runs-once-at-a-time',
        'live-lease',
        'group-locked',
        'nothing-abandoned',
        'limit-concurrency',
      ] as const;
      const totals = noTotals();
      for (let seed = FROM; seed < FROM + 15; seed++) addSeed(totals, await runSeed(seed, { deadlines: false, forgiven: broken }));
      expect(totals.violations).toEqual([]);
    },
    PATIENCE,
  );
});
