import { join, relative } from 'node:path';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';
import { switchesKey } from '../coverage.ts';
import { mutatedFiles, mutantsOf, ROOT } from '../mutants.ts';
import { withSwitches } from '../schemata.ts';

const files = new Set(mutatedFiles());

/** Puts every mutant into a source as it is loaded, each behind its switch. The file itself is never touched. */
const switches: Plugin = {
  // Vitest keeps what it has transformed under the names of its plugins: numbers of mutants change with the list of sources.
  name: `mutants-${switchesKey()}`,
  enforce: 'pre',
  transform(code, id) {
    const file = relative(ROOT, id.split('?', 1)[0] ?? id);
    if (!files.has(file)) return undefined;
    const { source, mutants } = mutantsOf(file, code);
    return { code: withSwitches(source, mutants), map: null };
  },
};

export default defineConfig({
  plugins: [switches],
  test: {
    root: ROOT,
    include: [relative(ROOT, join(import.meta.dirname, 'all-fast-tests.ts'))],
    setupFiles: [join(ROOT, 'test/proofs/mutation/fewer-runs.ts'), join(ROOT, 'test/support/each-test-file.ts')],
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    // The tests are run by the judge, not by Vitest.
    testNamePattern: /judges the mutants$/,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    silent: true,
    reporters: ['dot'],
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
