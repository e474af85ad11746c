import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mutatedFiles as generatedFiles } from './mutants/generated/mutants.ts';
import { mutatedFiles as coreFiles } from './mutation/mutated-files.ts';
import { passes } from './run-proof.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The sources that differ from main, committed or not, as paths from the root. Throws Error where there is no main. */
export function changedSources(): readonly string[] {
  const files = [...gitLines('diff', '--name-only', 'main'), ...gitLines('ls-files', '--others', '--exclude-standard')];
  return files.filter((file) => file.endsWith('.ts') && existsSync(join(ROOT, file)));
}

/** Judges the generated mutants and the mutations of the core of these files. Returns whether all are noticed or explained. */
export function judgeChanged(files: readonly string[]): boolean {
  const generated = generatedFiles().filter((file) => files.includes(file));
  const core = coreFiles().filter((file) => files.includes(file));
  process.stdout.write(`hunt: ${generated.length} files with generated mutants and ${core.length} of the core differ from main\n`);
  const runs = [
    generated.length === 0 ||
      passes('generated-mutants', ['test/proofs/mutants/main.ts', '--generated', '--all', '--files', generated.join(',')]),
    core.length === 0 || passes('mutation-core', ['test/proofs/mutation/main.ts', '--files', core.join(',')]),
  ];
  return runs.every(Boolean);
}

function gitLines(...args: readonly string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}
