/** `npm run release -- 0.2.0`: version, changelog section, kept layouts and bundle, commit and tag. docs/operate/releasing.md says what comes before and after. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withArguments } from '../with-arguments.ts';
import { makeRelease, ReleaseRefused } from './make-release.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const SCRIPTS: Readonly<Record<string, string>> = {
  docs: 'scripts/generate-docs.ts',
  format: 'oxfmt',
  layouts: 'test/layouts/main.ts',
  'release-bundle': 'test/releases/main.ts',
};

function script(name: string, ...args: readonly string[]): void {
  const command = [join(root, 'scripts', 'run.mjs'), SCRIPTS[name] ?? name, ...args];
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`npm run ${name} failed. Undo what the release wrote: git reset --hard`);
}

const USAGE = `Usage: npm run release -- <version>

Makes a release, such as 0.2.0: version, changelog section, kept layouts and bundle, commit and tag. docs/operate/releasing.md says what comes
before and after. It pushes and publishes nothing.
`;

await withArguments(USAGE, ['a version'], (version = '') => {
  try {
    makeRelease(version, { root, day: new Date().toISOString().slice(0, 10), script });
    process.stdout.write(`Tagged v${version}. To publish it: git push --follow-tags origin main\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ReleaseRefused)) throw error;
    process.stderr.write(`Not released, nothing was written:\n${error.refusals.map((line) => `- ${line}\n`).join('')}`);
    return 1;
  }
});
