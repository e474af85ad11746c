import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** Runs a command through scripts/run.mjs, with its output, to its end. Returns whether it passed. */
export function passes(name: string, command: readonly string[]): boolean {
  process.stdout.write(`== ${name}: ${command.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}
