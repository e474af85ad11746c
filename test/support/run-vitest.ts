import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemEnvironment } from '../../shared/config/system.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs Vitest to its end and returns how many tests passed; undefined when one failed or none ran. */
export function runVitest(args: readonly string[], env: NodeJS.ProcessEnv = {}): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-vitest-'));
  const report = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), 'vitest', 'run', ...reporters, ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...systemEnvironment(), ...env },
    });
    if (status !== 0) return undefined;
    const { numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as { readonly numPassedTests: number };
    return numPassedTests === 0 ? undefined : numPassedTests;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
