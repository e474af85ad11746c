/** `npm run test:project`: a project of the tests that `npm test` leaves out, or a share of its files. Leaves how many tests passed. */
import { baseLine, FROM, FROM_USAGE, partOf, readBase } from '../support/base-seed.ts';
import { oneOf, readArguments, runCommand, TEXT, wholeNumber } from '../support/command-line.ts';
import { recordFigures } from '../support/figures.ts';
import { runVitest } from '../support/run-vitest.ts';
import { SLOW_PROJECTS } from './projects.ts';

const USAGE = `Usage: npm run test:project -- --project <project> [options]

Runs tests that npm test leaves out: ${SLOW_PROJECTS.join(', ')}.

  --project P    which of them
  --parts N      one of N parts of their files: the one that the base names (default 1, all of them)
  ${FROM_USAGE}
  --help         prints this
`;

await runCommand(USAGE, (args) => {
  const { project = '', parts = '1', from } = readArguments(args, { project: TEXT, parts: TEXT, ...FROM });
  const name = oneOf('project', project, SLOW_PROJECTS);
  const count = wholeNumber('parts', parts);
  if (count === 1) {
    const tests = runVitest(['--project', name]);
    if (tests === undefined) return 1;
    recordFigures(name, { tests, failures: 0 });
    return 0;
  }
  const base = readBase(from);
  const share = partOf(base, count);
  process.stdout.write(`${baseLine(base, 'test:project', args)}\npart ${share} of ${name}\n`);
  const tests = runVitest(['--project', name, `--shard=${share}`]);
  if (tests === undefined) return 1;
  recordFigures(name, { share, tests, failures: 0 }, base);
  return 0;
});
