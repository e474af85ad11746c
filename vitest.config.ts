import { defineConfig } from 'vitest/config';

// Forked processes, because race and flow tests start and stop real servers and some end the process they run in.
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
