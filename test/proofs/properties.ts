/** `npm run hunt -- --only properties`: the tests of fast-check properties, with a fresh seed. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { baseLine, FROM, FROM_USAGE, readBase } from '../support/base-seed.ts';
import { readArguments, runCommand } from '../support/command-line.ts';
import { runVitest } from '../support/run-vitest.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const USAGE = `Usage: npm run hunt -- --only properties

Runs the unit tests that have fast-check properties with a fresh seed; npm test gives all of them the same one.
A property that fails prints its counterexample: make it a test of its own.

  ${FROM_USAGE}
  --help         prints this
`;

await runCommand(USAGE, (args) => {
  const base = readBase(readArguments(args, FROM).from);
  process.stdout.write(`${baseLine(base, 'test/proofs/properties.ts', args)}\n`);
  const files = globSync('test/unit/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    readFileSync(join(ROOT, file), 'utf8').includes("from 'fast-check'"),
  );
  return runVitest(['--project', 'fast', ...files], { env: { NIGHTCREW_PROPERTY_SEED: String(base.from) } }) === undefined ? 1 : 0;
});
