/**
 * `npm run prove`: every proof, each to its end, then docs/reliability.md from their figures. `npm run prove -- <proof>...` runs some;
 * `--list` names them; `--report [file]` writes the page from the figures that are there. Exit code 1 when a proof failed.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROOFS } from './proofs.ts';
import { reliabilityDoc } from './reliability-doc.ts';
import { FIGURES_FOLDER } from '../support/figures.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'docs', 'reliability.md');
const { values, positionals } = parseArgs({
  options: { list: { type: 'boolean', default: false }, report: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

if (values.list) for (const { name } of PROOFS) print(name);
else if (values.report) report(positionals[0] ?? PAGE);
else prove();

function prove(): void {
  const unknown = positionals.find((name) => !PROOFS.some((proof) => proof.name === name));
  if (unknown !== undefined) {
    process.stderr.write(`${unknown} is no proof. Use one of ${PROOFS.map(({ name }) => name).join(', ')}.\n`);
    process.exitCode = 2;
    return;
  }
  const chosen = PROOFS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const failed = chosen.filter(({ name, command }) => !passes(name, command)).map(({ name }) => name);
  if (positionals.length === 0 && failed.length === 0) report(PAGE);
  if (chosen.length > 1)
    print(`proofs: ${chosen.length - failed.length} passed, ${failed.length} failed${failed.map((name) => ` ${name}`).join()}`);
  if (failed.length > 0) process.exitCode = 1;
}

/** Old figures go first, so that a proof that fails leaves none behind. */
function passes(name: string, command: readonly string[]): boolean {
  print(`== ${name}: ${command.join(' ')}`);
  rmSync(join(FIGURES_FOLDER, `${name}.json`), { force: true });
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return status === 0;
}

function report(file: string): void {
  const page = reliabilityDoc();
  writeFileSync(file, page);
  print(page);
}
