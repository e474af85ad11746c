/** Stryker's configuration: the pure core with its own unit tests. Run by main.ts. */
// oxlint-disable-next-line import/no-default-export -- how Stryker reads it
export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './test/proofs/mutation/ignore-prose.mjs'],
  ignorers: ['prose'],
  vitest: { configFile: 'test/proofs/mutation/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: '.nightcrew/mutation.json' },
  tempDirName: '.nightcrew/stryker',
  // Only files that the unit tests of the core need are copied.
  ignorePatterns: [
    '**/*',
    '!shared/**',
    '!test/unit/**',
    '!test/features/**',
    '!test/support/**',
    '!test/proofs/mutation/**',
    '!package.json',
    '!tsconfig.json',
  ],
  timeoutMS: 5_000,
  // TypeScript 7 has no compiler API with which Stryker could rewrite the project's own; nothing in it needs rewriting.
  tsconfigFile: 'none.json',
};
