import fc from 'fast-check';
import { TEST_SEED } from '../../support/test-seed.ts';

// A property that needs more runs says so itself; each of a thousand mutants pays for every run.
fc.configureGlobal({ numRuns: 30, seed: TEST_SEED });
