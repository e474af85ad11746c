import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { restoreTrial } from '../support/restore-trial.ts';
import { ON_DYNAMO } from '../support/rig-tables.ts';

const BASE = Number(process.env['NIGHTCREW_TEST_SEED'] ?? randomInt(1, 1_000_000_000));
const SEEDS = Array.from({ length: ON_DYNAMO ? 2 : 4 }, (_, index) => BASE + index);

describe(`tables restored at staggered instants in the middle of a load (NIGHTCREW_TEST_SEED=${BASE})`, () => {
  it.each(SEEDS)('lose nothing accepted before the first instant, and run nothing again that History knows (seed %i)', async (seed) => {
    await expect(restoreTrial(seed)).resolves.toBeTypeOf('object');
  });
});
