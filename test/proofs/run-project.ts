/** `npm run test:project`: a project of the tests that `npm test` leaves out. Leaves how many tests passed. */
import { oneOf, readArguments, runCommand, TEXT } from '../../scripts/command-line.ts';
import { recordFigures } from '../support/figures.ts';
import { runVitest } from '../support/run-vitest.ts';
import { SLOW_PROJECTS } from './projects.ts';

const USAGE = `Usage: npm run test:project -- --project <project> [options]

Runs tests that npm test leaves out: ${SLOW_PROJECTS.join(', ')}.

  --project P    which of them
  --help         prints this
`;
/** These start real processes and installations. */
const IN_REAL_TIME: readonly string[] = ['processes', 'packed-package'];

await runCommand(USAGE, (args) => {
  const { project = '' } = readArguments(args, { project: TEXT });
  const name = oneOf('project', project, SLOW_PROJECTS);
  const tests = runVitest(['--project', name], { failedAgain: IN_REAL_TIME.includes(name) });
  if (tests === undefined) return 1;
  recordFigures(name, { tests, failures: 0 });
  return 0;
});
