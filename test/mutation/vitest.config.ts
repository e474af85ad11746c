import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/core/**/*.test.ts'],
    setupFiles: ['test/mutation/fewer-runs.ts'],
    testTimeout: 10_000,
    // The tests of the core share nothing that they change, so each mutant pays once for what they import, not once for each file.
    isolate: false,
  },
});
