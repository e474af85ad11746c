import { afterAll } from 'vitest';
import { runCleanups } from './after-test-file.ts';

// Vitest runs this anew for each test file, while test files of one process share the modules that they import.
afterAll(runCleanups);
