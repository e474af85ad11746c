import { defineConfig } from 'vitest/config';

// Apart from the tests: they need a browser of the system.
export default defineConfig({
  test: {
    include: ['test/proofs/browser/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Guards against hanging, ten times what a slow machine needs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 300_000 } },
  },
});
