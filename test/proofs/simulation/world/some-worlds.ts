import { seededEntropy } from '../../../../shared/adapters/memory/seeded-entropy.ts';

/** What only some worlds have, users or faults: the share of worlds, and a salt. */
const SHARES = {
  burier: { share: 0.25, salt: 479_866 },
  eraser: { share: 0.12, salt: 103_174 },
  triager: { share: 0.12, salt: 103_482 },
  keeper: { share: 0.12, salt: 104_271 },
  'receives-used-up': { share: 0.2, salt: 851_986 },
  'two-layouts': { share: 0.3, salt: 615_044 },
  outside: { share: 0.25, salt: 102_687 },
  foreign: { share: 0.2, salt: 253_371 },
  bounder: { share: 0.12, salt: 107_437 },
  'new-jobs-only': { share: 0.12, salt: 111_741 },
  porter: { share: 0.12, salt: 433_716 },
  limiter: { share: 0.12, salt: 411_358 },
  backfiller: { share: 0.06, salt: 140_649 },
  heir: { share: 0.08, salt: 709_358 },
  guardian: { share: 0.12, salt: 130_885 },
  calendar: { share: 0.08, salt: 171_282 },
} as const;

export type Some = keyof typeof SHARES;

/** The first seeds stay what they were before. The salts leave known seeds and the seeds of mutants as they were. */
const PLAIN_SEEDS = 100;

/** Whether the world of a seed has it. By the seed itself: nothing else that the world draws depends on it. */
export function worldHas(some: Some, seed: number): boolean {
  const { share, salt } = SHARES[some];
  return seed > PLAIN_SEEDS && seededEntropy(seed * 83 + salt).random() < share;
}
