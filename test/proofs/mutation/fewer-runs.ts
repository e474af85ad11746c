import fc from 'fast-check';
import { PROPERTY_SEED } from '../../support/property-seed.ts';

// A property that needs more runs says so itself; each of a thousand mutants pays for every run.
fc.configureGlobal({ numRuns: 30, seed: PROPERTY_SEED });
