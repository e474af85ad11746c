/** `npm run prove`: every proof, each to its end, then docs/reference/reliability.md from their figures. Exit code 1 when a proof failed. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FLAG, readArguments, runCommand, UsageError } from '../../scripts/command-line.ts';
import { RUNS_FILE } from '../support/figures.ts';
import { notedRuns, savedLedger, saveLedger, thisVersion, withRuns } from './ledger.ts';
import { type Proof, PROOFS } from './proofs.ts';
import { reliabilityDoc } from './reliability-doc.ts';
import { passes } from './run-proof.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGE = join(ROOT, 'docs', 'reference', 'reliability.md');
const USAGE = `Usage: npm run prove -- [proof]... [options]

Runs the proofs that are named, with fresh bases; without a name all of them, and then records them. That takes an hour: run it before a
release. Each run that a checkout makes, of whatever size, is noted in .proof/runs.jsonl until it is recorded.

  --gate           runs the proofs as a change must pass them: with fixed bases, in minutes, the same in every run. Records nothing
  --list           names the proofs; with --gate those of the gate
  --record [FILE]  adds the noted runs (or those in FILE, of another checkout) to docs/reference/reliability.json, and writes docs/reference/reliability.md
  --report [FILE]  writes the page of the noted runs alone to FILE; fails when a proof has none
  --help           prints this
`;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runCommand(USAGE, (args) => {
  const options = args.filter((arg) => arg.startsWith('--'));
  const {
    gate = false,
    list = false,
    record: recorded = false,
    report: reported = false,
  } = readArguments(options, { gate: FLAG, list: FLAG, record: FLAG, report: FLAG });
  const names = args.filter((arg) => !arg.startsWith('--'));
  const proofs = gate ? PROOFS.flatMap(({ name, gate: command }) => (command === undefined ? [] : [{ name, command }])) : PROOFS;
  if (list) for (const { name } of proofs) print(name);
  else if (recorded) record(names[0]);
  else if (reported) report(names[0]);
  else return prove(names, proofs, gate);
  return 0;
});

function prove(names: readonly string[], proofs: readonly Proof[], gate: boolean): number {
  const all = proofs.map(({ name }) => name);
  for (const name of names) if (!all.includes(name)) throw new UsageError(`${name} is no proof. Use ${all.join(', ')}.`);
  const chosen = proofs.filter(({ name }) => names.length === 0 || names.includes(name));
  const failed = chosen.filter(({ name, command }) => !passes(name, command)).map(({ name }) => name);
  if (names.length === 0 && failed.length === 0 && !gate) record();
  if (chosen.length > 1)
    print(`proofs: ${chosen.length - failed.length} passed, ${failed.length} failed${failed.map((name) => ` ${name}`).join()}`);
  return failed.length > 0 ? 1 : 0;
}

/** Runs are recorded once: they are taken from where they were noted. */
function record(file: string = RUNS_FILE): void {
  const noted = notedRuns(file);
  const ledger = withRuns(savedLedger(), noted, thisVersion());
  saveLedger(ledger);
  rmSync(file, { force: true });
  print(`${noted.length} runs recorded in docs/reference/reliability.json`);
  writeFileSync(PAGE, reliabilityDoc(ledger));
}

function report(file: string | undefined): void {
  const version = thisVersion();
  const page = reliabilityDoc(withRuns({ version, runs: [] }, notedRuns(), version));
  if (file !== undefined) writeFileSync(file, page);
  print(page);
}
