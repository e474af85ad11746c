import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/unit/core/**/*.test.ts'], setupFiles: ['test/mutation/fewer-runs.ts'], testTimeout: 10_000 },
});
