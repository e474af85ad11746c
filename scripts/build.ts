/** Builds the published package into `dist`: JavaScript with declarations, the console's assets, and the acquirer and the sweeper as ready bundles. */
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const STEPS = [['tsc', '-p', 'tsconfig.build.json'], ['scripts/build-lambdas.ts']] as const;

rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
for (const step of STEPS) {
  // All output goes to stderr: `npm pack --json` owns stdout.
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...step], { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    process.stderr.write(`build: ${step.join(' ')} failed\n`);
    process.exit(1);
  }
}
// Files that the compiler does not handle: the console's styles and scripts.
cpSync(join(ROOT, 'console', 'assets'), join(ROOT, 'dist', 'console', 'assets'), { recursive: true });
