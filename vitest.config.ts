import { defineConfig } from 'vitest/config';

const WALKS = ['test/flow/**/*.test.ts', 'test/race/**/*.test.ts'];

// Forked processes, because race and flow tests start and stop real servers and some end the process they run in.
export default defineConfig({
  test: {
    pool: 'forks',
    // Many tests wait for servers and child processes, and by itself Vitest leaves a core idle.
    maxWorkers: 3,
    // Guards against hanging, ten times what a slow machine needs; no test sets a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    projects: [
      // Those of test/browser need a browser of the system: `npm run prove -- console`.
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'], exclude: ['test/browser/**'] } },
      // The same flows and races once more, on DynamoDB's own conditions and transactions.
      { extends: true, test: { name: 'dynamo', include: WALKS, env: { NIGHTCREW_TEST_TABLES: 'dynamo' } } },
    ],
  },
});
