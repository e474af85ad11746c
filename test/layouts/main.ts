/** `npm run layouts -- <version>`: keeps what a deployment of this release leaves, for the tests of later ones. Run it when a release is made. */
import { runCommand, UsageError } from '../../scripts/command-line.ts';
import { keepLayouts } from './layouts.ts';

const USAGE = `Usage: npm run layouts -- <version>

Keeps what a deployment of this release leaves, for the tests of later ones. Run it when a release is made.
`;

await runCommand(USAGE, async (args) => {
  const [version = ''] = args;
  if (args.length !== 1 || !/^\d+\.\d+\.\d+$/.test(version)) throw new UsageError('Give the version of the release, such as 0.1.0.');
  await keepLayouts(version);
  return 0;
});
