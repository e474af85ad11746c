/** `npm run hunt -- --only seeded-tests`: the tests that draw, with a fresh seed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseLine, FROM, FROM_USAGE, readBase } from '../support/base-seed.ts';
import { readArguments, runCommand } from '../../scripts/command-line.ts';
import { runVitest } from '../support/run-vitest.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const USAGE = `Usage: npm run hunt -- --only seeded-tests

Runs the tests that draw (fast-check properties, and what takes TEST_SEED) with a fresh seed; otherwise all of them have the same one.
One that fails prints its counterexample or its seed: make it a test of its own. NIGHTCREW_TEST_SEED=<base> npm test -- <file> repeats it.

  ${FROM_USAGE}
  --help         prints this
`;
const DRAWS = /from 'fast-check'|import .*\bTEST_SEED\b/;

await runCommand(USAGE, (args) => {
  const base = readBase(readArguments(args, FROM).from);
  process.stdout.write(`${baseLine(base, 'seeded-tests', args)}\n`);
  const files = globSync('test/**/*.test.ts', { cwd: ROOT }).filter((file) => DRAWS.test(readFileSync(join(ROOT, file), 'utf8')));
  const projects = ['--project', 'fast*', '--project', 'scenarios'];
  return runVitest([...projects, ...files], { env: { NIGHTCREW_TEST_SEED: String(base.from) } }) === undefined ? 1 : 0;
});
