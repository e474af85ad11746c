import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/job/**/*.test.ts', 'test/features/*/model/*.test.ts'],
    setupFiles: ['test/proofs/mutation/fewer-runs.ts'],
    // A mutant that hangs is found sooner, by Stryker's own limit; the first run of all tests must pass on a busy machine.
    testTimeout: 60_000,
    // The tests of the core share nothing that they change, so each mutant pays once for what they import, not once for each file.
    isolate: false,
  },
});
