import { expect, test } from 'vitest';
import { MUTANTS } from './all-mutants.ts';
import { findWithoutFault, hunt } from './hunt.ts';

const LIMITS = { from: 1, seeds: 0, catches: 1, sample: 1 };
const shownByOne = MUTANTS.filter(({ onlyBy }) => onlyBy !== undefined);

test.each(shownByOne)('$name is shown by $onlyBy, and by no other fault of the same world', async (mutant) => {
  const { seed = 0 } = mutant;
  expect(await hunt({ ...mutant, seed }, LIMITS)).toMatchObject({ caught: true, caughtIn: seed });
  expect(await findWithoutFault(mutant)).toEqual([{ seed, violations: [] }]);
});
