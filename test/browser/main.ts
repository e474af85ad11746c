/** `npm run prove -- console`: the console in a real browser. Ends with what was looked at; exit code 1 when a test failed. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PAGES } from '../../console/pages.ts';
import { ACTIONS } from '../../console/actions.ts';
import { readArguments, runCommand } from '../support/command-line.ts';
import { recordFigures } from '../support/figures.ts';
import { launchChromium } from './chromium.ts';
import { VECTORS } from './vectors.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What Vitest reports, as far as it is read here. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

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
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-browser-'));
  const file = join(folder, 'report.json');
  const { status } = spawnSync(
    process.execPath,
    [
      join(ROOT, 'scripts', 'run.mjs'),
      'vitest',
      'run',
      '--config',
      'test/browser/vitest.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status === 0) {
    const { numPassedTests } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    recordFigures('console', {
      version: `Chromium ${version}`,
      tests: numPassedTests,
      pages: PAGES.length,
      actions: ACTIONS.length,
      vectors: VECTORS.length,
    });
  }
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? 0 : 1;
}
