import { describe, test } from 'vitest';
import { hintsContract } from '../../testing/contract/hints-contract.ts';
import { sourceContract } from '../../testing/contract/source-contract.ts';
import { HINTS_UNDER_TEST } from './hints-under-test.ts';

describe.each(HINTS_UNDER_TEST)('hints in %s', (_, open) => {
  test.each(hintsContract)('$title', async ({ check }) => check(await open()));

  test.each(sourceContract)('$title', async ({ check }) => check(await open()));
});
