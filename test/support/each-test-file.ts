import fc from 'fast-check';
import { afterAll } from 'vitest';
import { runCleanups } from './after-test-file.ts';
import { TEST_SEED } from './test-seed.ts';

fc.configureGlobal({ seed: TEST_SEED });

// Vitest runs this anew for each test file, while test files of one process share the modules that they import.
afterAll(runCleanups);
