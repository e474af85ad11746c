import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Figures, type Run, RUNS_FILE } from '../support/figures.ts';
import { isSummed, shownNames } from './proofs.ts';

/** The runs shown in docs/reference/reliability.md: the last one of most proofs, and all of a version for proofs that draw a base. */
export interface Ledger {
  readonly version: string;
  readonly runs: readonly Run[];
}

const ROOT = join(import.meta.dirname, '..', '..');
const FILE = join(ROOT, 'docs', 'reference', 'reliability.json');

/** The version of the product whose runs are summed. */
export function thisVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** The ledger as it is committed. */
export function savedLedger(): Ledger {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Ledger;
}

/** Saves a ledger with a run on each line, so that what a commit adds can be read. */
export function saveLedger({ version, runs }: Ledger): void {
  const lines = runs.map((run) => `    ${JSON.stringify(run)}`);
  writeFileSync(FILE, `{\n  "version": ${JSON.stringify(version)},\n  "runs": [\n${lines.join(',\n')}\n  ]\n}\n`);
}

/** The runs that a checkout has noted and not recorded yet. */
export function notedRuns(file: string = RUNS_FILE): readonly Run[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Run);
}

/**
 * The ledger with more runs, in their order. A run takes the place of what it says anew: the last one of a proof that is not summed up,
 * one without a base, the same base again, and all earlier ones when it broke a promise. Another version begins its sums anew.
 */
export function withRuns(ledger: Ledger, more: readonly Run[], version: string): Ledger {
  let runs = ledger.version === version ? ledger.runs : ledger.runs.filter(({ proof }) => !isSummed(proof));
  for (const run of more) {
    const { proof, base, figures } = run;
    const startsAnew = !isSummed(proof) || base === undefined || figures === undefined;
    runs = runs.filter((one) => one.proof !== proof || (!startsAnew && one.base !== undefined && one.base !== base));
    runs = [...runs, figures === undefined ? run : { ...run, figures: shown(proof, figures) }];
  }
  return { version, runs };
}

function shown(proof: string, figures: Figures): Figures {
  const names = shownNames(proof);
  return names === undefined ? figures : Object.fromEntries(Object.entries(figures).filter(([name]) => names.includes(name)));
}
