import { defineConfig } from 'vitest/config';
import { PROJECTS } from './test/proofs/projects.ts';

export default defineConfig({
  test: {
    // Processes, because tests start and stop real servers and change what belongs to a process.
    pool: 'forks',
    // Many tests wait for servers and child processes, and by itself Vitest leaves a core idle.
    maxWorkers: 3,
    // Test files of one process share the modules that they import: loading them anew for each file takes longer than the tests.
    isolate: false,
    setupFiles: ['test/support/each-test-file.ts'],
    // Guards against hanging, ten times what a slow machine needs; no test sets a limit of its own.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    // One project after the other: a process is used again only for files of the same project.
    projects: PROJECTS.map(({ include, exclude = [], env = {}, ...others }, groupOrder) => ({
      extends: true,
      test: { ...others, include: [...include], exclude: [...exclude], env: { ...env }, sequence: { groupOrder } },
    })),
  },
});
