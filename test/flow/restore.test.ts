import { describe, expect, it } from 'vitest';
import { restoreTrial } from '../support/restore-trial.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const SEEDS = Array.from({ length: 4 }, (_, index) => TEST_SEED + index);

describe('tables restored at staggered instants in the middle of a load', () => {
  it.skipIf(ON_DYNAMO).each(SEEDS)(
    'lose nothing accepted before the first instant, and run nothing again that History knows (seed %i)',
    async (seed) => {
      await expect(restoreTrial(seed)).resolves.toBeTypeOf('object');
    },
  );
});
