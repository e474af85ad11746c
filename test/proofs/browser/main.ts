/** `npm run prove -- console`: the console in a real browser. Prints what was checked; exit code 1 if a test failed. */
import { PAGES } from '../../../console/pages.ts';
import { ACTIONS } from '../../../console/actions.ts';
import { readArguments, runCommand } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { runVitest } from '../../support/run-vitest.ts';
import { launchChromium } from './chromium.ts';
import { VECTORS } from './vectors.ts';

const USAGE = `Usage: npm run prove -- console

Opens every page of the console in a real browser: hostile texts, each action, axe. Needs Chromium; CHROMIUM names another browser.

  --help         prints this
`;

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  const browser = await launchChromium();
  const version = browser.version();
  await browser.close();
  return lookAtAll(version);
});

function lookAtAll(version: string): number {
  const tests = runVitest(['--config', 'test/proofs/browser/vitest.config.ts'], { failedAgain: true });
  if (tests === undefined) return 1;
  recordFigures('console', {
    version: `Chromium ${version}`,
    tests,
    pages: PAGES.length,
    actions: ACTIONS.length,
    vectors: VECTORS.length,
  });
  return 0;
}
