/** Builds the published package into `dist`: JavaScript with declarations, and the command line, the acquirer and the sweeper as ready bundles. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutArguments } from './with-arguments.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const STEPS = [['tsc', '-p', 'tsconfig.build.json'], ['scripts/bundle-cli.ts'], ['scripts/build-lambdas.ts']] as const;

const USAGE = `Usage: npm run build

Builds the published package into dist: JavaScript with declarations, and the command line, the acquirer and the sweeper as ready
bundles.
`;

await withoutArguments(USAGE, () => {
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  for (const step of STEPS) {
    // All output goes to stderr: `npm pack --json` owns stdout.
    const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...step], { cwd: ROOT, stdio: ['ignore', 2, 2] });
    if (status !== 0) {
      process.stderr.write(`build: ${step.join(' ')} failed\n`);
      return 1;
    }
  }
  return 0;
});
