import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

/** How long a test may take or wait is set in one place, as a guard against hanging: what a machine needs is nobody's to know. */
const OWN_LIMITS: readonly RegExp[] = [
  /^\s*\}, \d[\d_]*\);$/m,
  /\{ timeout: [\dA-Z_]+[ ,]/,
  /^\s*[\d_]{4,},\n\s*\);$/m,
  /\bvi\.setConfig\b/,
];

function hasOwnLimit(text: string): boolean {
  const waits = [...text.matchAll(/\bvi\.wait(For|Until)\(/g)].length;
  const guarded = [...text.matchAll(/\bWAIT,?\s*\)/g)].length;
  return waits !== guarded || OWN_LIMITS.some((limit) => limit.test(text));
}

test('no test sets a limit of its own, or waits for less than the guard', () => {
  // Those of test/proofs/browser have a guard of their own.
  const tests = globSync('test/**/*.test.ts', { cwd: fromRoot('.') }).filter((path) => !/^test.(proofs.browser|architecture)/.test(path));
  expect(tests.length).toBeGreaterThan(100);
  expect(tests.filter((path) => hasOwnLimit(readFileSync(fromRoot(path), 'utf8')))).toEqual([]);
});

test('a limit is seen wherever it can stand', () => {
  const limited = [
    "test('a', async () => {\n}, 60_000);",
    "test(\n  'a',\n  run,\n  60_000,\n);",
    "test('a', { timeout: 5 }, run);",
    'await vi.waitFor(() => seen());',
  ];
  expect(limited.map(hasOwnLimit)).toEqual([true, true, true, true]);
  expect(hasOwnLimit('await vi.waitFor(() => seen(), WAIT);')).toBe(false);
});
