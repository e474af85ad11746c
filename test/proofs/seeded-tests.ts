/** `npm run hunt -- --only seeded-tests`, `--only slow-store`: tests that draw, with a fresh seed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseLine, FROM, FROM_USAGE, readBase } from '../support/base-seed.ts';
import { FLAG, readArguments, runCommand } from '../../scripts/command-line.ts';
import { runVitest } from '../support/run-vitest.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const DELAY_MS = '15';
const USAGE = `Usage: npm run hunt -- --only seeded-tests

Runs the tests that draw (fast-check properties, and what takes TEST_SEED) with a fresh seed; otherwise all of them have the same one.
One that fails prints its counterexample or its seed: make it a test of its own. NIGHTCREW_TEST_SEED=<base> npm test -- <file> repeats it.

  --slow-store   runs the flows and the races instead, each request of whose store takes a while that is drawn, so that of two requests of one moment
                 either may be first (NIGHTCREW_TEST_STORE_DELAY_MS=${DELAY_MS} repeats it, with the seed)
  ${FROM_USAGE}
  --help         prints this
`;
const DRAWS = /from 'fast-check'|import .*\bTEST_SEED\b/;

await runCommand(USAGE, (args) => {
  const { from, 'slow-store': slow = false } = readArguments(args, { ...FROM, 'slow-store': FLAG });
  const base = readBase(from);
  process.stdout.write(`${baseLine(base, 'seeded-tests', args)}\n`);
  const env = { NIGHTCREW_TEST_SEED: String(base.from), ...(slow ? { NIGHTCREW_TEST_STORE_DELAY_MS: DELAY_MS } : {}) };
  const projects = ['--project', 'fast*', ...(slow ? [] : ['--project', 'scenarios'])];
  return runVitest([...projects, ...(slow ? ['flow/', 'race/'] : drawing())], { env }) === undefined ? 1 : 0;
});

function drawing(): readonly string[] {
  return globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => DRAWS.test(readFileSync(join(ROOT, file), 'utf8')));
}
